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
