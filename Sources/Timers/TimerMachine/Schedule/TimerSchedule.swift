public import TaktTime

/// The times at which a timer fires: once, or on a grid of equal intervals. A schedule is always
/// valid.
///
/// A repeating schedule fires at start, start + interval, start + 2·interval …: never "now plus
/// interval", so it does not drift.
public struct TimerSchedule: Sendable, Hashable {
  /// The longest interval, leeway and delay: 2⁶² ns, about 146 years.
  public static let longest: Duration = .nanoseconds(Int64(1) << 62)

  /// The replacement for an interval that is not positive in the constructors for constants: one
  /// millisecond. The system would take the interval as one nanosecond and fire without a pause.
  public static let shortestClamped: Duration = .milliseconds(1)

  /// The origin of the first deadline.
  enum Basis: UInt8, Sendable, Hashable {
    case monotonic, wall, activation, boot
  }

  /// First deadline in nanoseconds of its basis.
  var startNanoseconds: Int64
  /// Zero means once.
  var intervalNanoseconds: Int64 = 0
  var leewayNanoseconds: Int64
  /// `Int64.max` means no limit.
  var fires: Int64 = 1
  var basis: Basis
  /// True if the system is asked to keep to the leeway even to save power. See `strict()`.
  public private(set) var isStrict = false
  /// True if its machine stays `running` after the last fire. See `stayingOpen()`.
  public private(set) var staysOpen = false
  /// True if the time that the machine sleeps counts. See `countingSleep()`.
  public private(set) var countsSleep = false

  /// Fires once.
  ///
  /// - Parameters:
  ///   - deadline: the deadline. If it has passed, the timer is due at once.
  ///   - leeway: how much later it may be. Default zero.
  /// - Throws: `TimerError` for a negative or overlong leeway.
  public static func once(
    at deadline: MonotonicInstant, leeway: Duration = .zero
  ) throws(TimerError) -> TimerSchedule {
    try once(start: deadline.nanoseconds, leeway, .monotonic)
  }

  /// Fires once, `delay` after the activation.
  ///
  /// - Parameters:
  ///   - delay: zero means at once.
  ///   - leeway: how much later it may be. Default zero.
  /// - Throws: `TimerError` for a negative or overlong delay or leeway.
  public static func once(
    after delay: Duration, leeway: Duration = .zero
  ) throws(TimerError) -> TimerSchedule {
    try once(start: try validated(delay: delay), leeway, .activation)
  }

  /// Fires on the grid start + k·interval.
  ///
  /// - Parameters:
  ///   - interval: the time between two deadlines, at least one nanosecond.
  ///   - start: the first deadline. If it has passed, the first fire is due at once and counts the
  ///     periods that have passed.
  ///   - leeway: how much later each fire may be. Default zero. It does not move the grid.
  ///   - times: the number of fires; `nil`, the default, means no limit.
  /// - Throws: `TimerError` for an interval, leeway or count outside its range.
  public static func every(
    _ interval: Duration, startingAt start: MonotonicInstant, leeway: Duration = .zero,
    times: Int? = nil
  ) throws(TimerError) -> TimerSchedule {
    try grid(interval, start: start.nanoseconds, leeway, times, .monotonic)
  }

  /// Fires on a grid that starts at the activation.
  ///
  /// - Parameters:
  ///   - interval: the time between two deadlines, at least one nanosecond.
  ///   - delay: from the activation to the first deadline; `nil`, the default, means one interval.
  ///   - leeway: how much later each fire may be. Default zero. It does not move the grid.
  ///   - times: the number of fires; `nil`, the default, means no limit.
  /// - Throws: `TimerError` for an interval, delay, leeway or count outside its range.
  public static func every(
    _ interval: Duration, after delay: Duration? = nil, leeway: Duration = .zero, times: Int? = nil
  ) throws(TimerError) -> TimerSchedule {
    let period = try validated(interval: interval)
    let start = try delay.map(validated(delay:)) ?? period
    return try grid(interval, start: start, leeway, times, .activation)
  }

  /// Fires once, `delay` after the activation; for constants, without `try`.
  ///
  /// - Parameters:
  ///   - delay: zero means at once. Values outside the valid range are clamped.
  ///   - leeway: how much later it may be, likewise. Default zero.
  public static func once(
    afterClamping delay: Duration, leeway: Duration = .zero
  ) -> TimerSchedule {
    TimerSchedule(
      startNanoseconds: clamped(delay), leewayNanoseconds: clamped(leeway), basis: .activation)
  }

  /// Fires once, at an instant; for constant leeways, without `try`.
  ///
  /// - Parameters:
  ///   - deadline: the deadline. If it has passed, the timer is due at once.
  ///   - leeway: how much later it may be. Values outside the valid range are clamped.
  public static func once(
    at deadline: MonotonicInstant, leewayClamping leeway: Duration
  ) -> TimerSchedule {
    TimerSchedule(
      startNanoseconds: deadline.nanoseconds, leewayNanoseconds: clamped(leeway), basis: .monotonic)
  }

  /// Fires on a grid that starts one interval after the activation; for constants, without `try`.
  ///
  /// - Parameters:
  ///   - interval: the time between two deadlines. One that is not positive becomes
  ///     `shortestClamped`, which a debug build reports on standard error; one that is too long
  ///     becomes `longest`.
  ///   - leeway: how much later each fire may be, likewise. Default zero.
  public static func every(clamping interval: Duration, leeway: Duration = .zero) -> TimerSchedule {
    let period = clamped(interval: interval)
    return TimerSchedule(
      startNanoseconds: period, intervalNanoseconds: period, leewayNanoseconds: clamped(leeway),
      fires: .max, basis: .activation)
  }

  /// Fires once; `start` is counted in nanoseconds from the basis.
  static func once(
    start: Int64, _ leeway: Duration, _ basis: Basis
  ) throws(TimerError) -> TimerSchedule {
    TimerSchedule(
      startNanoseconds: start, leewayNanoseconds: try validated(leeway: leeway), basis: basis)
  }

  /// Fires on a grid; `start` is counted in nanoseconds from the basis.
  static func grid(
    _ interval: Duration, start: Int64, _ leeway: Duration, _ times: Int?, _ basis: Basis
  ) throws(TimerError) -> TimerSchedule {
    TimerSchedule(
      startNanoseconds: start, intervalNanoseconds: try validated(interval: interval),
      leewayNanoseconds: try validated(leeway: leeway), fires: try validated(times: times),
      basis: basis)
  }

  /// The time between two deadlines; `nil` for a schedule that fires once.
  public var interval: Duration? {
    intervalNanoseconds == 0 ? nil : .nanoseconds(intervalNanoseconds)
  }

  /// The time after its deadline within which a fire may come.
  public var leeway: Duration { .nanoseconds(leewayNanoseconds) }

  /// The number of fires; `nil` means no limit.
  public var times: Int? { fires == .max ? nil : Int(clamping: fires) }

  /// True if the deadlines follow the wall clock.
  public var isWall: Bool { basis == .wall }

  /// The same schedule, without any extension of its leeway by the system.
  ///
  /// A factory over system timers passes this on to the system. The coalescing factory treats it as
  /// zero leeway.
  public func strict() -> TimerSchedule {
    var schedule = self
    schedule.isStrict = true
    return schedule
  }

  /// The same schedule on the time since boot, which includes sleep.
  ///
  /// Without it, a delay of an hour takes an hour of waking time; with it, a deadline that passes
  /// during sleep is due right after it. On Linux the kernel reports the end of a sleep; on Apple's
  /// systems an alarm on their wall clock rings. It makes no difference on Windows, nor for
  /// deadlines on the wall clock.
  public func countingSleep() -> TimerSchedule {
    var schedule = self
    schedule.countsSleep = true
    return schedule
  }

  /// The same schedule, but after its last fire the machine stays `running`, unarmed, until it is
  /// rescheduled.
  ///
  /// For a machine that lives as long as its owner, which computes its deadlines: it alternates
  /// between `fire` and `reschedule`, and is `cancelled` only at its end.
  public func stayingOpen() -> TimerSchedule {
    var schedule = self
    schedule.staysOpen = true
    return schedule
  }

  /// No fire, and open: the machine is `running`, unarmed, until it is rescheduled.
  public static let unarmed = TimerSchedule(
    startNanoseconds: 0, leewayNanoseconds: 0, fires: 0, basis: .monotonic
  ).stayingOpen()

  /// The first deadline if the schedule is activated now.
  public func firstDeadline(activatedAt time: any TimeSource) -> MonotonicInstant {
    switch basis {
    case .monotonic: MonotonicInstant(nanoseconds: startNanoseconds)
    case .activation: time.monotonic + .nanoseconds(startNanoseconds)
    case .boot: MonotonicInstant(nanoseconds: startNanoseconds) - time.slept
    case .wall:
      time.monotonic + (WallInstant(nanoseconds: startNanoseconds) - time.wall)
    }
  }
}

/// The handling of a timer's grid when its interval changes.
public enum TimerPhase: String, Sendable, Hashable, CaseIterable, Codable {
  /// The grid keeps its first deadline: the next fire is the next start + k·interval.
  case keep
  /// The grid starts again: the next fire is one interval from now.
  case restart
}
