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
  private(set) var news = ClusterNews()
  /// The engine's last era; a change means that it may have been set back.
  private var era: UInt64?
  /// Memberships of daemons that were killed, without any runs left.
  var previousMembers: [MemberID] = []
  /// Runs without a claim of daemons that have ended, to be reported to the engine first.
  var unreported: [UnclaimedRun] = []
  var lateEnds: [ClaimToken: LateEnd] = [:]
  private(set) var ends = Ends()
  /// Jobs that the engine says are suspended.
  var suspended: Set<JobID> = []
  var unplaced = UnplacedJobs()
  /// Of the zones that schedules have, by their names.
  var zoneDigests: [String: UInt64] = [:]
  /// A clock that is far off has been logged.
  private var hasWarnedOfClock = false
  var timerToken: UInt64 = 0
  var armedFor: MonotonicInstant?

  init(_ facts: MemberFacts) { membership = Membership(facts) }

  /// The delay between machines that want one slot: the first asks at once, the others if it has
  /// not.
  static let rankPace = Duration.milliseconds(300)
  static let busyPace = Duration.milliseconds(500)

  /// The time for which this machine leaves a slot to those before it; zero if it is the first.
  func delay(for job: JobName, _ slot: WallInstant, _ machines: JobMachines) -> Duration {
    Self.rankPace * min(news.rank(of: membership.id, for: job, slot, machines), 10)
  }

  /// Takes the engine's news. Returns those that are worth a line of the log.
  mutating func learn(_ news: ClusterNews) -> [ClusterNotice] {
    var notices = news.notices(since: self.news, own: membership.id)
    self.news = news
    let clock = news.clockNotice(membership.facts.clockOffset, own: membership.id)
    if let clock, !hasWarnedOfClock { notices.append(clock) }
    hasWarnedOfClock = clock != nil
    // The other machine's schedule may have been withdrawn.
    for (id, job) in jobs where job.standing == .drifted { membership.say(.declare(id)) }
    return notices
  }

  // MARK: The engine's memory

  /// This machine has joined: tells the engine of its jobs, and of what its previous daemons had.
  ///
  /// - Parameter first: the jobs of runs that those daemons have not reported.
  mutating func begin(declaring first: [JobID], then others: [JobID]) {
    for id in first + others { jobs[id]?.declareAgain() }
    membership.unsay { if case .declare = $0 { true } else { false } }
    // With the next batch the engine decides what those that retire had. A slot that one of them was
    // given, without hearing so, has run all the same.
    membership.sayFirst(
      previousMembers.reversed().map { .retire($0) } + first.map { .declare($0) }
        + unreported.map { .ranUnclaimed($0) } + others.map { .declare($0) })
    (previousMembers, unreported) = ([], [])
  }

  /// Returns true if the engine may have been set back since its last era.
  mutating func isSetBack(by era: UInt64?) -> Bool {
    defer { self.era = era ?? self.era }
    return self.era != nil && era != nil && self.era != era
  }

  /// Tells an engine that was set back of its newest input, which it may lack: schedules that were
  /// in force, and ends.
  mutating func reportAgain(_ ids: [JobID]) {
    let inForce = ids.filter { jobs[$0]?.standing == .inForce }
    for id in inForce { jobs[id]?.repeatChange() }
    let ended = ends.claims.values.filter { $0.ending != nil }.sorted { $0.token < $1.token }
    membership.sayFirst(inForce.map { .declare($0) } + ended.map { .restore($0) })
  }

  // MARK: Claims

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

  /// Gives up a claim; one that is being requested waits for the answer. An earlier request without
  /// an answer is given back when the news has it.
  mutating func withdraw(_ key: ClaimBook.Key) {
    membership.unsay { $0 == .claim(key) }
    if membership.isSaying(.claim(key)) { book.withdraw(key) } else { book.remove(key) }
  }

  /// A claim is over: its run has ended, or its slot is given back.
  mutating func end(_ claim: RememberedClaim) {
    ends.add(claim)
    endAgain(claim.token)
  }

  /// The engine has a claim that is over. One of no known run was granted by an answer that was
  /// lost, and its slot was no longer needed when the answer was repeated.
  mutating func endAgain(_ token: ClaimToken) {
    membership.say(ends[token]?.ending.map { .end(token, $0) } ?? .giveBack(token))
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
