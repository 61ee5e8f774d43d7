import TaktTime

/// The state of a machine, changed only under its lock.
///
/// Ordered for size: a process may hold a million of these. Not copyable, so that no operation pays
/// for a copy.
struct MachineCore: ~Copyable {
  var state = TimerState.idle
  /// The adapter holds `ticket` for `deadline`.
  var isArmed = false
  /// A handler is between its claim and its return.
  var isDelivering = false
  /// The armed deadline passed while `isDelivering`; it is claimed when the handler returns.
  var isDueWaiting = false
  /// A thread is handing reports to the observer.
  var isReporting = false
  /// The origin of the schedule's first deadline; nil before there is a schedule.
  var basis: TimerSchedule.Basis?
  var isStrict = false
  /// The machine stays `running` when no fire is left.
  var staysOpen = false
  var generation: UInt64 = 0
  /// The number of the last arming.
  var ticket: UInt64 = 0
  /// The first deadline of the schedule, in nanoseconds of its own clock.
  var startNanoseconds: Int64 = 0
  /// Zero means once.
  var intervalNanoseconds: Int64 = 0
  var leewayNanoseconds: Int64 = 0
  /// The next deadline of the schedule that has not been claimed.
  ///
  /// In nanoseconds of the schedule's own clock.
  var deadline: Int64 = .max
  /// Fires left; `Int64.max` means no limit.
  var remaining: Int64 = 0
  /// The state that few machines need.
  var extras: MachineExtras?
  // Operations do not touch the rest: they need only two cache lines.
  /// Deliveries claimed, the last sequence number.
  var claims: UInt64 = 0
  /// Transitions reported, the last sequence number.
  var reports: UInt64 = 0
  /// The thread, or the actor, of the current handler call.
  var deliveringThread: UInt = 0

  /// True if the deadlines are on a clock that may step away from the clock of alarms.
  var mayStep: Bool { basis == .wall || basis == .boot }

  /// Takes a schedule from its start.
  mutating func begin(_ schedule: TimerSchedule, of machine: MachineBody) {
    let isRelative = schedule.basis == .activation
    basis = isRelative ? .monotonic : schedule.basis
    isStrict = schedule.isStrict
    staysOpen = schedule.staysOpen
    startNanoseconds =
      isRelative
      ? machine.monotonic.nanoseconds.addingSaturated(schedule.startNanoseconds)
      : schedule.startNanoseconds
    if schedule.countsSleep, basis == .monotonic {
      basis = .boot
      startNanoseconds = startNanoseconds.addingSaturated(machine.group.slept)
    }
    intervalNanoseconds = schedule.intervalNanoseconds
    leewayNanoseconds = schedule.leewayNanoseconds
    deadline = startNanoseconds
    remaining = schedule.fires
  }

  /// The time on the schedule's own clock.
  func now(in group: TimerGroup) -> Int64 {
    switch basis {
    case .wall: group.wall.nanoseconds
    case .boot: group.monotonic.nanoseconds.addingSaturated(group.slept)
    case .monotonic, .activation, nil: group.monotonic.nanoseconds
    }
  }

  /// The next deadline as the monotonic clock will show it if no one sets the other.
  @inline(__always)
  func monotonicDeadline(in group: TimerGroup) -> MonotonicInstant {
    guard mayStep else { return MonotonicInstant(nanoseconds: deadline) }
    return group.monotonic(deadline, ofWall: basis == .wall)
  }

  /// The instant on the wall clock at the end of the next deadline's window, unless it is set; nil
  /// if that is past, or nothing is left to fire. For schedules that may step.
  func endOfWallWindow(in group: TimerGroup) -> WallInstant? {
    let left = deadline.addingSaturated(leewayNanoseconds).subtractingSaturated(now(in: group))
    return remaining > 0 && left > 0 ? group.wall + .nanoseconds(left) : nil
  }

  /// Deadlines of the grid from the next one up to `now`; 0 when it lies ahead.
  func periodsDue(at now: Int64) -> Int64 {
    guard now >= deadline else { return 0 }
    guard intervalNanoseconds > 0 else { return 1 }
    return (now.subtractingSaturated(deadline) / intervalNanoseconds).addingSaturated(1)
  }

  /// Moves the next deadline `periods` along the grid.
  mutating func advance(periods: Int64) {
    let (distance, overflow) = intervalNanoseconds.multipliedReportingOverflow(by: periods)
    deadline = deadline.addingSaturated(overflow ? .max : distance)
  }

  /// True if skipping the deadlines that are due at `now` ends the schedule.
  func isOverAfterSkipping(at now: Int64) -> Bool {
    basis != nil && intervalNanoseconds == 0 && now >= deadline && !staysOpen
  }

  /// Skips the deadlines that are due at `now`.
  mutating func skip(at now: Int64) {
    let periods = periodsDue(at: now)
    if intervalNanoseconds > 0 {
      advance(periods: periods)
    } else if periods > 0 {
      remaining = 0
    }
  }

  /// Changes interval and leeway, unless nil; the count of fires continues.
  mutating func change(interval: Int64?, leeway: Int64?, phase: TimerPhase, at now: Int64) {
    guard basis != nil else { return }
    if let leeway { leewayNanoseconds = leeway }
    guard let interval else { return }
    if intervalNanoseconds == 0 { remaining = .max }
    intervalNanoseconds = interval
    if phase == .restart { startNanoseconds = now.addingSaturated(interval) }
    deadline = startNanoseconds
    advance(periods: periodsDue(at: now))
  }
}
