import DequeModule
import TaktTime

/// The scheduler's view of its cluster: its membership, its messages to the engine, and the slots
/// that wait for the engine's answer.
struct ClusterState: Sendable {
  /// A run that has ended after the lease: its consequences wait for the engine's answer.
  struct LateEnd: Sendable {
    var job: JobID
    var slot: WallInstant
    var end: RunEnd
    var caller: HookCaller?
  }

  /// The newest claims whose runs have ended: an engine that is set back is notified of them again.
  /// Those without an end were given back.
  struct Ends: Sendable {
    private static let countMax = 1000

    private(set) var claims: [ClaimToken: RememberedClaim] = [:]
    private var order: Deque<ClaimToken> = []

    subscript(token: ClaimToken) -> RememberedClaim? { claims[token] }

    mutating func add(_ claim: RememberedClaim) {
      guard claims.updateValue(claim, forKey: claim.token) == nil else { return }
      order.append(claim.token)
      if order.count > Self.countMax { claims[order.removeFirst()] = nil }
    }
  }

  static let none = ClusterState(MemberFacts(machine: "", lease: .zero, grace: .zero))

  var membership: Membership
  var book = ClaimBook()
  var jobs: [JobID: SharedJob] = [:]
  var news = ClusterNews()
  /// The engine's last era; a change means that it may have been set back.
  var era: UInt64?
  /// Memberships of daemons that were killed, without any runs left.
  var previousMembers: [MemberID] = []
  /// Runs without a claim of daemons that have ended, to be reported to the engine first.
  var unreported: [UnclaimedRun] = []
  var lateEnds: [ClaimToken: LateEnd] = [:]
  var ends = Ends()
  /// Jobs that the engine says are suspended.
  var suspended: Set<JobID> = []
  var unplaced = UnplacedJobs()
  /// Of the zones that schedules have, by their names.
  var zoneDigests: [String: UInt64] = [:]
  /// A clock that is far off has been logged.
  var hasWarnedOfClock = false
  var timerToken: UInt64 = 0
  var armedFor: MonotonicInstant?

  init(_ facts: MemberFacts) { membership = Membership(facts) }

  /// The delay between machines that want one slot: the first asks at once, the others if it has
  /// not.
  static let rankPace = Duration.milliseconds(300)
  static let busyPace = Duration.milliseconds(500)

  /// The place of this machine among those that may have a slot, from 0.
  func rank(for job: JobName, _ slot: WallInstant, _ machines: JobMachines) -> Int {
    news.rank(of: membership.id, for: job, slot, machines)
  }

  /// A slot is needed.
  mutating func want(_ claim: ClaimBook.Claim, _ key: ClaimBook.Key) {
    book.add(claim, key)
    if claim.phase == .queued { membership.say(.claim(key)) }
  }

  /// Requests a slot with the next batch.
  mutating func claim(_ key: ClaimBook.Key) {
    book.queue(key)
    membership.say(.claim(key))
  }

  /// The slots of a job that have no verdict yet, except those of runs.
  func waitingSlots(of job: JobID) -> [WallInstant] {
    let wished = membership.wishes.compactMap { wish -> WallInstant? in
      if case .decide(job, let slot, _) = wish { slot } else { nil }
    }
    return (jobs[job]?.unsettled ?? []) + wished
      + book.keys(of: job).filter { book[$0]?.isOpen == false }.map(\.slot)
  }
}
