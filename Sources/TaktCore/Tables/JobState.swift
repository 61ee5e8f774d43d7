import DequeModule
import TaktTime

/// The scheduler's state of one job.
///
/// Functions that use much of it are `mutating`, even if they change nothing: it is then read in
/// its table, and not copied out of it. Some are always inline for the gate's `slots`, too.
struct JobState: Sendable {
  var spec: JobSpec {
    didSet { cursor.forgetNext() }
  }
  var cursor: ScheduleCursor
  /// Nil if its timer waits for nothing.
  private(set) var awaited: Awaited?
  /// The token of its last arming; 0 if it has never been armed.
  private(set) var token: UInt64 = 0
  /// Nil before it has a timer.
  var timer: TimerActivity?
  var failureStreak = 0
  /// Slots that have run since the anchor.
  var ranCount = 0
  /// Boxed: few jobs have any.
  private var kept: Shared<JobAlarms>?
  /// Boxed: few jobs are suspended.
  private var hold: Shared<Suspension>?
  /// Slots whose instant is behind the job and that are still to run: delayed ones, and those that
  /// were missed. The oldest first.
  var late: Deque<LateSlot> = []

  init(spec: JobSpec, cursor: ScheduleCursor) {
    self.spec = spec
    self.cursor = cursor
  }

  /// A job that comes back.
  init(_ spec: JobSpec, from memory: RemovedJob) {
    self.init(spec: spec, cursor: memory.cursor)
    failureStreak = memory.failureStreak
    ranCount = memory.ranCount
    suspension = memory.suspension
    alarms = memory.alarms
    forgetFailedAlarms()
  }

  var memory: RemovedJob {
    RemovedJob(
      cursor: cursor, at: spec.timing.schedule.at, failureStreak: failureStreak,
      ranCount: ranCount, suspension: suspension, alarms: alarms)
  }

  /// Nil if there is nothing to remember.
  var alarms: JobAlarms? {
    get { kept?.value }
    set { kept = newValue.flatMap { $0.isEmpty ? nil : Shared($0) } }
  }

  @inline(__always) var hasAlarms: Bool { kept != nil }

  /// True if a hook or a ping of it has failed and has not succeeded since.
  var hasFailedAlarms: Bool { kept?.value.failures.isEmpty == false }

  var isStale: Bool { kept?.value.freshness?.staleSince != nil }

  /// Forgets the failures of hooks and pings that the job no longer has, or that differ from those
  /// of its old spec. Returns true if there were any.
  @discardableResult
  mutating func forgetFailedAlarms(of old: JobSpec? = nil) -> Bool {
    var hasForgotten = false
    for name in Array((hasFailedAlarms ? alarms?.failures ?? [:] : [:]).keys) {
      let steps = spec.steps(ofAlarm: name)
      if steps.isEmpty || old.map({ $0.steps(ofAlarm: name) != steps }) ?? false {
        alarms?.failures[name] = nil
        hasForgotten = true
      }
    }
    return hasForgotten
  }

  /// The event that a job's timer waits for.
  enum Awaited: Sendable {
    /// The job's next slot.
    case slot(Slot)
    /// The turn of a slot that runs late.
    case lateSlot(WallInstant, startsAt: MonotonicInstant)
    case suspensionEnd(WallInstant, deadline: MonotonicInstant)
  }

  enum TimerActivity: Sendable {
    /// It runs, armed or not.
    case runs
    /// Stopped for this reason.
    case held(TimerHoldReason)
  }

  /// A slot that is still to run.
  struct LateSlot: Sendable {
    var slot: Slot
    /// Its turn: many of them do not all start at once. Nil until it has got one.
    var startsAt: MonotonicInstant?
  }

  var suspension: Suspension? {
    get { hold?.value }
    set { hold = newValue.map { Shared($0) } }
  }

  @inline(__always) var isSuspended: Bool { hold != nil }

  /// The reason why its slots pass without a run; nil if they do not.
  @inline(__always) var holdReason: SkipReason? {
    if isSuspended || !spec.timing.isEnabled { return .suspended }
    if let limit = spec.timing.schedule.limit, ranCount >= limit { return .limit }
    return nil
  }

  /// True if its slots pass without a run.
  @inline(__always) var isHeld: Bool { holdReason != nil }

  mutating func await(_ awaited: Awaited, token: UInt64) {
    self.awaited = awaited
    self.token = token
  }

  mutating func clearAwaited() { awaited = nil }

  /// True if its timer was last armed with this token, and has not fired since.
  @inline(__always) func isAwaiting(_ token: UInt64) -> Bool {
    awaited != nil && self.token == token
  }

  /// True if its timer waits for a slot.
  var isWaiting: Bool { awaited != nil && !isHeld }

  /// The slot that its timer waits for; nil when it is held.
  var nextSlot: Slot? { isHeld ? nil : awaited?.slot }

  /// Counts slots that run. Returns true if these were the last that may.
  mutating func countRan(_ count: Int) -> Bool {
    ranCount += count
    return holdReason == .limit
  }

  /// True if a slot may come although none is known: one that is counted from the end of a run, or
  /// delayed until its turn.
  var mayHaveSlots: Bool { mutating get { !late.isEmpty || isFixedDelay } }

  mutating func next(at now: Now) -> Slot? {
    cursor.next(of: spec.timing, for: spec.name, at: now)
  }

  /// Its due slots, by its own schedule.
  mutating func popDue(at now: Now) -> ScheduleCursor.Due? {
    cursor.popDue(of: spec.timing, for: spec.name, at: now)
  }

  mutating func startDelay(at now: Now) { cursor.startDelay(spec.timing.schedule, at: now) }

  /// True if its next slot is counted from the end of a run.
  var isFixedDelay: Bool { mutating get { spec.timing.schedule.every?.origin == .end } }

  /// True if that end has come, so that the next slot is known.
  var isDelaying: Bool { mutating get { cursor.isDelaying } }

  var checkpoint: JobCheckpoint {
    mutating get {
      JobCheckpoint(
        job: spec.name, cursor: cursor.state, failureStreak: failureStreak, ranCount: ranCount,
        held: hold, alarms: kept)
    }
  }

  /// Fills a missing job.
  static let placeholder = JobState(
    spec: JobSpec(
      name: .placeholder, timing: Timing(schedule: Schedule()), action: .argv([])),
    cursor: ScheduleCursor(
      schedule: Schedule(),
      at: Now(wall: WallInstant(milliseconds: 0), monotonic: MonotonicInstant(nanoseconds: 0))))
}

extension JobState.Awaited {
  func timer(of job: JobID) -> TimerID {
    if case .suspensionEnd = self { .pause(job) } else { .job(job) }
  }

  /// The same as `deadline`, on the wall clock.
  func due(at now: Now) -> WallInstant {
    switch self {
    case .slot(let slot): slot.due
    case .lateSlot(_, let startsAt): now.wall(at: startsAt)
    case .suspensionEnd(let end, _): end
    }
  }

  var deadline: MonotonicInstant {
    switch self {
    case .slot(let slot): slot.deadline
    case .lateSlot(_, let startsAt): startsAt
    case .suspensionEnd(_, let deadline): deadline
    }
  }

  /// The longest delay of the timer.
  var window: Duration { if case .slot(let slot) = self { slot.window } else { .zero } }

  var slot: Slot {
    switch self {
    case .slot(let slot): slot
    case .lateSlot(let nominal, let deadline), .suspensionEnd(let nominal, let deadline):
      Slot(nominal: nominal, causes: [], deadline: deadline)
    }
  }
}

extension JobState.TimerActivity {
  var view: TimerView {
    switch self {
    case .runs, .held(.unarmed): .running
    case .held(.suspended): .suspended
    case .held(.over): .cancelled
    }
  }
}

extension JobState {
  /// The ends that the job waits for; nil for a job that waits for none.
  func gatheredEnds(at now: WallInstant) -> GatheredEnds? {
    spec.timing.schedule.afterAll.map { GatheredEnds($0, alarms?.ended ?? [:], at: now) }
  }
}

extension JobSpec {
  /// The actions of an alarm, by the name of its hook or that of the pings.
  fileprivate func steps(ofAlarm name: String) -> [Step] {
    name == AlarmFailure.ping ? pings : HookKind(rawValue: name).flatMap { hooks[$0] } ?? []
  }
}
