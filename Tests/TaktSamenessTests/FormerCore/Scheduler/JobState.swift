import DequeModule
import TaktTime

/// What the scheduler knows of one job.
struct JobState: Sendable {
  var spec: JobSpec
  var cursor: ScheduleCursor
  /// What its timer waits for, with the token of the arming: its next slot, one that runs late, or
  /// the end of its suspension.
  var armed: (slot: Slot, token: UInt64)?
  /// Whether its timer has ever been armed.
  var hasBeenArmed = false
  var failureStreak = 0
  /// How many slots have run since the anchor.
  var ranCount = 0
  var suspension: Suspension?
  /// Slots whose instant is behind the job and which are still to run: those that are put off, and
  /// those that passed unserved. The oldest first.
  var late: Deque<LateSlot> = []

  /// A slot that is still to run.
  struct LateSlot: Sendable {
    var slot: Slot
    /// When it may start: many of them do not all start at once. Nil until it has got its turn.
    var startsAt: MonotonicInstant?
  }

  /// Why its slots pass without a run; nil when they do not.
  var rest: SkipReason? {
    if !spec.timing.isEnabled || suspension != nil { return .suspended }
    if let limit = spec.timing.schedule.limit, ranCount >= limit { return .limit }
    return nil
  }

  /// Whether its slots pass without a run.
  var isHeld: Bool { rest != nil }

  /// Counts slots that run. Returns whether these were the last that may.
  mutating func countRan(_ count: Int) -> Bool {
    ranCount += count
    return rest == .limit
  }

  /// Its timer has fired: what is due, if its slots are served at all.
  mutating func fired(at now: Now) -> ScheduleCursor.Due? {
    armed = nil
    return isHeld ? nil : cursor.takeDue(of: spec.timing, for: spec.name, at: now)
  }

  var mark: JobMark {
    JobMark(
      job: spec.name, cursor: cursor.state, failureStreak: failureStreak, ranCount: ranCount,
      suspension: suspension)
  }

  /// What is kept of a job that a reload has removed, for when it comes back: a slot is decided
  /// once in the job's life, and its anchor is set once.
  struct Memory: Sendable {
    var cursor: ScheduleCursor
    var at: [WallInstant]
    var failureStreak: Int
    var ranCount: Int
    var suspension: Suspension?
    /// Removals are numbered, so that the oldest is forgotten first.
    var number: UInt64
  }
}
