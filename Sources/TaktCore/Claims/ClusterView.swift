package import TaktTime

/// A machine's cluster at this moment, for those who look.
package struct ClusterView: Hashable, Sendable {
  /// A shared job whose slots wait, or do not go on.
  package struct Waiting: Hashable, Sendable {
    package var job: JobName
    /// Another machine has a newer schedule of the job.
    package var isDrifted: Bool
    /// Slots whose time came while nobody could claim them.
    package var unsettled: Int
    /// Slots that the engine is asked for.
    package var claims: Int
  }

  package var facts: MemberFacts
  /// Nil while this machine is no member.
  package var member: MemberID?
  /// How long the lease still holds; nil without one.
  package var lease: Duration?
  /// Why the engine does not answer; nil while it does.
  package var failure: ClaimFailure?
  package var members: [ClusterNews.Member]
  /// By name.
  package var waiting: [Waiting]
}

extension SchedulerCore {
  /// The cluster as this machine sees it; nil without one.
  package func clusterView(at now: Now) -> ClusterView? {
    guard let cluster else { return nil }
    let waiting = cluster.jobs.compactMap { id, job -> ClusterView.Waiting? in
      guard job.standing == .drifted || !job.unsettled.isEmpty || job.claimCount > 0 else {
        return nil
      }
      return ClusterView.Waiting(
        job: jobs.name(of: id), isDrifted: job.standing == .drifted,
        unsettled: job.unsettled.count, claims: job.claimCount)
    }
    return ClusterView(
      facts: cluster.facts, member: cluster.member,
      lease: cluster.leaseUntil.flatMap { $0 > now.monotonic ? $0 - now.monotonic : nil },
      failure: cluster.failure, members: cluster.news.members,
      waiting: waiting.sorted { $0.job < $1.job })
  }
}
