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

  /// Shared jobs with labels that no machine has: they run nowhere.
  package struct Unplaced: Hashable, Sendable {
    package var labels: [String: String]
    /// By name.
    package var jobs: [JobName]
  }

  /// What the jobs file said of the cluster at the start; nil where nobody has read one.
  package var settings: ClusterSettings?
  package var facts: MemberFacts
  /// Nil while this machine is no member.
  package var member: MemberID?
  /// How long the lease still holds; nil without one.
  package var lease: Duration?
  /// Why the engine does not answer; nil while it does, and before its first answer.
  package var failure: ClaimFailure?
  /// How long the engine took for its last answer, the way there and back included; nil before one.
  package var roundTrip: Duration?
  /// As of the engine's last answer.
  package var members: [ClusterNews.Member]
  /// By name.
  package var waiting: [Waiting]
  /// By their labels; as of the engine's last answer.
  package var unplaced: [Unplaced]

  /// Whether the engine has answered last, and knows this machine.
  package var engineAnswers: Bool { failure == nil && member != nil }

  package var aliveCount: Int { members.count(where: \.isAlive) }
  package var unsettledCount: Int { waiting.reduce(0) { $0 + $1.unsettled } }
  package var claimCount: Int { waiting.reduce(0) { $0 + $1.claims } }
  package var unplacedCount: Int { unplaced.reduce(0) { $0 + $1.jobs.count } }
  package var driftedCount: Int { waiting.count(where: \.isDrifted) }
}
