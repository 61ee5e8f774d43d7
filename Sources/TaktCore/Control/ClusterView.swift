/// A snapshot of a machine's cluster.
package struct ClusterView: Hashable, Sendable {
  /// A shared job whose slots wait, or are blocked.
  package struct Waiting: Hashable, Sendable {
    package var job: JobName
    /// Another machine has a newer schedule of the job.
    package var isDrifted: Bool
    /// Slots that came due while none could be claimed.
    package var unsettled: Int
    /// Slots requested from the engine.
    package var claims: Int
  }

  /// Shared jobs with labels that no machine has: they run nowhere.
  package struct Unplaced: Hashable, Sendable {
    package var labels: [String: String]
    /// By name.
    package var jobs: [JobName]
  }

  /// The cluster's settings in the jobs file at the start; nil if no file was read.
  package var settings: ClusterSettings?
  package var facts: MemberFacts
  /// Nil while this machine is no member.
  package var member: MemberID?
  /// The rest of the lease; nil without one.
  package var lease: Duration?
  /// Nil while it answers, and before its first answer.
  package var failure: ClaimFailure?
  /// The engine's last round trip; nil before one.
  package var roundTrip: Duration?
  /// As of the engine's last answer.
  package var members: [ClusterNews.Member]
  /// By name.
  package var waiting: [Waiting]
  /// By their labels; as of the engine's last answer.
  package var unplaced: [Unplaced]

  /// True if the engine has answered last, and knows this machine.
  package var engineAnswers: Bool { failure == nil && member != nil }

  package var aliveCount: Int { members.count(where: \.isAlive) }
  package var unsettledCount: Int { waiting.reduce(0) { $0 + $1.unsettled } }
  package var claimCount: Int { waiting.reduce(0) { $0 + $1.claims } }
  package var unplacedCount: Int { unplaced.reduce(0) { $0 + $1.jobs.count } }
  package var driftedCount: Int { waiting.count(where: \.isDrifted) }
}
