/// When a timer fires: once, or on a grid of equal intervals. It cannot be invalid.
///
/// A repeating schedule fires at start, start + interval, start + 2·interval …: never "now plus
/// interval", so it does not drift.
public struct TimerSchedule: Sendable, Hashable {
  /// The longest interval, leeway and delay: 2⁶² ns, about 146 years.
  public static let longest: Duration = .nanoseconds(1 << 62)

  /// First deadline in nanoseconds, on the monotonic clock or after the activation.
  let startNanoseconds: Int64
  /// Zero means once.
  let intervalNanoseconds: Int64
  let leewayNanoseconds: Int64
  /// `Int64.max` means for ever.
  let fires: Int64
  let isRelative: Bool

  /// Fires once.
  ///
  /// - Parameters:
  ///   - deadline: when. One that has passed is due at once.
  ///   - leeway: how much later it may be. Default zero.
  /// - Throws: `TimerError` for a negative or overlong leeway.
  public static func once(
    at deadline: MonotonicInstant, leeway: Duration = .zero
  ) throws(TimerError) -> TimerSchedule {
    TimerSchedule(
      startNanoseconds: deadline.nanoseconds, intervalNanoseconds: 0,
      leewayNanoseconds: try validated(leeway: leeway), fires: 1, isRelative: false)
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
    TimerSchedule(
      startNanoseconds: try validated(delay: delay), intervalNanoseconds: 0,
      leewayNanoseconds: try validated(leeway: leeway), fires: 1, isRelative: true)
  }

  /// Fires on the grid start + k·interval.
  ///
  /// - Parameters:
  ///   - interval: the distance of two deadlines, at least one nanosecond.
  ///   - start: the first deadline. It may have passed: then the first fire is due at once and
  ///     counts the periods that have passed.
  ///   - leeway: how much later each fire may be. Default zero. The grid does not move with it.
  ///   - times: how many fires there are; `nil`, the default, means for ever.
  /// - Throws: `TimerError` for an interval, leeway or count outside its range.
  public static func every(
    _ interval: Duration, startingAt start: MonotonicInstant, leeway: Duration = .zero,
    times: Int? = nil
  ) throws(TimerError) -> TimerSchedule {
    TimerSchedule(
      startNanoseconds: start.nanoseconds,
      intervalNanoseconds: try validated(interval: interval),
      leewayNanoseconds: try validated(leeway: leeway), fires: try validated(times: times),
      isRelative: false)
  }

  /// Fires on a grid that begins at the activation.
  ///
  /// - Parameters:
  ///   - interval: the distance of two deadlines, at least one nanosecond.
  ///   - delay: from the activation to the first deadline; `nil`, the default, means one interval.
  ///   - leeway: how much later each fire may be. Default zero. The grid does not move with it.
  ///   - times: how many fires there are; `nil`, the default, means for ever.
  /// - Throws: `TimerError` for an interval, delay, leeway or count outside its range.
  public static func every(
    _ interval: Duration, after delay: Duration? = nil, leeway: Duration = .zero, times: Int? = nil
  ) throws(TimerError) -> TimerSchedule {
    let period = try validated(interval: interval)
    return TimerSchedule(
      startNanoseconds: try delay.map(validated(delay:)) ?? period,
      intervalNanoseconds: period,
      leewayNanoseconds: try validated(leeway: leeway), fires: try validated(times: times),
      isRelative: true)
  }

  /// The distance of two deadlines; `nil` for a schedule that fires once.
  public var interval: Duration? {
    intervalNanoseconds == 0 ? nil : .nanoseconds(intervalNanoseconds)
  }

  /// How much later than its deadline a fire may be.
  public var leeway: Duration { .nanoseconds(leewayNanoseconds) }

  /// How many fires there are; `nil` means for ever.
  public var times: Int? { fires == .max ? nil : Int(clamping: fires) }

  /// The first deadline when the schedule is activated at `now`.
  public func firstDeadline(activatedAt now: MonotonicInstant) -> MonotonicInstant {
    isRelative
      ? now + .nanoseconds(startNanoseconds) : MonotonicInstant(nanoseconds: startNanoseconds)
  }
}
