import DequeModule
import HeapModule
import TaktTime

/// What the scheduler knows of its cluster: its membership, what it has to say to the engine, and
/// the slots that wait for the engine's word.
struct ClusterState: Sendable {
  /// A slot that is to be claimed, or has been asked for.
  struct Claim: Sendable {
    var slot: Slot
    /// Another machine had it: its verdict is known here, or will be.
    var isOpen = false
    /// The membership under which the engine may have been asked for it.
    var askedAs: MemberID?
    /// Nobody wants it any more; if it is granted all the same it is given back.
    var isWithdrawn = false
    /// The engine has said that it waits for others: it is not missed for that.
    var hasWaited = false
    var phase: Phase

    enum Phase: Hashable, Sendable {
      /// It is asked for at this instant.
      case waits(MonotonicInstant)
      /// It is among what is to be said.
      case queued
      /// The engine knows of it; an older slot of its job asks first.
      case behind
    }
  }

  struct Key: Hashable, Comparable, Sendable {
    var job: JobID
    var slot: WallInstant

    static func < (left: Self, right: Self) -> Bool {
      (left.slot, left.job.index) < (right.slot, right.job.index)
    }
  }

  /// When a claim is to be looked at again.
  struct Turn: Comparable, Sendable {
    var at: MonotonicInstant
    var key: Key

    static func < (left: Self, right: Self) -> Bool { (left.at, left.key) < (right.at, right.key) }
  }

  /// One thing to be said to the engine, as it is by then.
  enum Wish: Hashable, Sendable {
    case declare(JobID)
    case claim(Key)
    case ask(JobID, [WallInstant], schedule: UInt64)
    case lastEnd(JobID)
    case decide(JobID, WallInstant, Verdict)
    /// The membership is that under which the engine may have been asked for the slot.
    case ranUnclaimed(JobName, WallInstant, askedAs: MemberID?)
    case end(ClaimToken, ClaimEnding)
    case restore(RememberedClaim)
    case giveBack(ClaimToken)
    case retire(MemberID)
    case suspend(JobID)
  }

  struct Job: Sendable {
    /// What its schedule comes to, as the engine is told of it.
    var schedule: UInt64
    /// The schedule is news since the engine was told of it.
    var isChanged: Bool
    /// Nothing is known here of an earlier one.
    var isNew = false
    var standing = Standing.undeclared
    /// Slots whose time came while nobody could claim them, ascending.
    var unsettled: [WallInstant] = []
    /// What named those of them that another schedule did.
    var previousSchedules: [WallInstant: UInt64] = [:]
    /// The engine is asked which of them are decided.
    var isAsking = false
    /// The newest slot that has been served, here or elsewhere.
    var lastServed = WallInstant(milliseconds: .min / 1_000_000)
    /// Its slots in `claims`, ascending.
    fileprivate(set) var claimed: [WallInstant] = []
    var claimCount: Int { claimed.count }
    /// The next slot is counted from the end of the last one, wherever that ran.
    var rests = false
    /// The engine is asked when that was.
    var isAskingEnd = false
  }

  /// Which shared jobs no machine of the cluster may run.
  struct Placement: Sendable {
    /// The labels of the machines that have a lease.
    var machines: Set<[String: String]> = []
    /// What the jobs say has changed since `unplaced` was made.
    var isStale = true
    /// Each with the labels that no machine has.
    var unplaced: [JobID: [String: String]] = [:]
    /// Those of them that the log has.
    var reported: [JobID: [String: String]] = [:]
  }

  enum Standing: Hashable, Sendable {
    case undeclared, inForce, drifted
  }

  /// A run that has ended after the lease: what follows from it waits for the engine's word.
  struct LateEnd: Sendable {
    var job: JobID
    var slot: WallInstant
    var end: RunEnd
    var caller: HookCaller?
  }

  /// Claims whose runs have ended, the newest: an engine that is set back hears of them again. Those
  /// without an end were given back.
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

  struct InFlight: Sendable {
    var number: UInt64
    var wishes: [Wish]
    var sentAt: MonotonicInstant
    var renews: Bool
    var leaves: Bool
    /// The claims, of which the engine may have heard under this membership.
    var member: MemberID?
  }

  static let none = ClusterState(MemberFacts(machine: "", lease: .zero, grace: .zero))

  /// What this machine says of itself.
  var facts: MemberFacts
  var member: MemberID?
  /// The membership before this one.
  var earlierMember: MemberID?
  /// Memberships of daemons that were killed, of whose runs nothing is left.
  var previousMembers: [MemberID] = []
  /// The membership that an engine has forgotten while its lease held: nobody has decided for it.
  var forgottenMember: MemberID?
  /// What the engine said of itself last; another number means that it may have been set back.
  var era: UInt64?
  /// Until when this machine may start what it has claimed. Nil without a lease.
  var leaseUntil: MonotonicInstant?
  /// When the guard ends what runs under a claim, unless the lease is renewed.
  var guardAt: MonotonicInstant?
  var news = ClusterNews()
  var outbox: Deque<Wish> = []
  var inFlight: InFlight?
  var renewAt = MonotonicInstant(nanoseconds: .min)
  /// When the engine is tried again after it has failed; nil while it answers.
  var retryAt: MonotonicInstant?
  var failureCount = 0
  var failure: ClaimFailure?
  var jobs: [JobID: Job] = [:]
  var claims: [Key: Claim] = [:]
  var turns = Heap<Turn>()
  var lateEnds: [ClaimToken: LateEnd] = [:]
  var ends = Ends()
  /// Jobs that the engine says are suspended.
  var suspended: Set<JobID> = []
  var placement = Placement()
  /// Of the zones that schedules have, by their names.
  var zoneDigests: [String: UInt64] = [:]
  /// A clock that is far off has been told of.
  var hasWarnedOfClock = false
  /// The machine has left, or has tried to.
  var hasLeft = false
  var lastBatch: UInt64 = 0
  var timerToken: UInt64 = 0
  var armedFor: MonotonicInstant?

  init(_ facts: MemberFacts) { self.facts = facts }

  /// So much is said at a time.
  static let batchMax = 256
  /// How far machines are apart that want one slot: the first asks at once, the others when it has
  /// not.
  static let rankPace = Duration.milliseconds(300)
  static let busyPace = Duration.milliseconds(500)
  /// So many of a job's slots wait to be settled; older ones are missed.
  static let unsettledMax = 1000

  /// How much sooner than the engine this machine takes its lease for over.
  var margin: Duration { facts.lease / 10 }

  func hasLease(at now: MonotonicInstant) -> Bool { leaseUntil.map { now < $0 } ?? false }

  /// Whether the engine answers, and knows this machine.
  var isUp: Bool { member != nil && retryAt == nil }

  mutating func engineIsUp() {
    failure = nil
    retryAt = nil
    failureCount = 0
  }

  /// This machine's turn for a slot among those that may have it, from 0.
  func rank(for job: JobName, _ slot: WallInstant, _ machines: JobMachines) -> Int {
    guard let member else { return 0 }
    func weight(_ id: MemberID) -> UInt64 {
      StableHash.of("\(job.text) \(slot.milliseconds) \(id.number)")
    }
    let mine = weight(member)
    return news.members.count {
      $0.isAlive && $0.id != member && machines.includes($0.facts.labels) && weight($0.id) < mine
    }
  }

  mutating func addClaim(_ claim: Claim, _ key: Key) {
    claims[key] = claim
    if let job = jobs[key.job] {
      let place = job.claimed.lastIndex { $0 < key.slot }.map { $0 + 1 } ?? 0
      jobs[key.job]?.claimed.insert(key.slot, at: place)
    }
    switch claim.phase {
    case .waits(let instant): turns.insert(Turn(at: instant, key: key))
    case .queued: outbox.append(.claim(key))
    case .behind: break
    }
  }

  /// The oldest slot of a job that is still wanted.
  func oldestClaim(of job: JobID) -> Key? {
    jobs[job]?.claimed.lazy.map { Key(job: job, slot: $0) }
      .first { claims[$0]?.isWithdrawn == false }
  }

  mutating func putOff(_ key: Key, until instant: MonotonicInstant) {
    claims[key]?.phase = .waits(instant)
    turns.insert(Turn(at: instant, key: key))
  }

  mutating func removeClaim(_ key: Key) -> Claim? {
    guard let claim = claims.removeValue(forKey: key) else { return nil }
    if let place = jobs[key.job]?.claimed.firstIndex(of: key.slot) {
      jobs[key.job]?.claimed.remove(at: place)
    }
    return claim
  }

  /// The slots of a job that have no verdict yet, but for those of runs.
  func waitingSlots(of job: JobID) -> [WallInstant] {
    let wished = outbox.compactMap { wish -> WallInstant? in
      if case .decide(job, let slot, _) = wish { slot } else { nil }
    }
    return (jobs[job]?.unsettled ?? []) + wished
      + keys(of: job).filter { claims[$0]?.isOpen == false }.map(\.slot)
  }

  /// What of this job waits for the engine.
  func keys(of job: JobID) -> [Key] {
    (jobs[job]?.claimed ?? []).map { Key(job: job, slot: $0) }
  }
}
