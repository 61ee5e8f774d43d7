import TaktTime

extension TimerSchedule {
  /// A duration of so many seconds. `Duration.seconds` itself traps on NaN and on overflow.
  ///
  /// - Throws: `TimerError` when `seconds` is not finite or beyond `longest` either way.
  public static func duration(seconds: Double) throws(TimerError) -> Duration {
    guard seconds.isFinite else { throw .secondsNotFinite(seconds) }
    guard seconds.magnitude <= Double(1 << 62) / 1e9 else { throw .secondsOutOfRange(seconds) }
    return .nanoseconds(Int64(seconds * 1e9))
  }

  static func validated(interval: Duration) throws(TimerError) -> Int64 {
    // What is cut off below one nanosecond must not leave a zero, which would spin.
    let nanoseconds = interval.nanosecondsSaturated
    guard nanoseconds > 0 else { throw .intervalNotPositive(interval) }
    guard interval <= longest else { throw .intervalTooLong(interval) }
    return nanoseconds
  }

  static func validated(leeway: Duration) throws(TimerError) -> Int64 {
    guard leeway >= .zero else { throw .leewayNegative(leeway) }
    guard leeway <= longest else { throw .leewayTooLong(leeway) }
    return leeway.nanosecondsSaturated
  }

  static func validated(delay: Duration) throws(TimerError) -> Int64 {
    guard delay >= .zero else { throw .delayNegative(delay) }
    guard delay <= longest else { throw .delayTooLong(delay) }
    return delay.nanosecondsSaturated
  }

  static func validated(times: Int?) throws(TimerError) -> Int64 {
    guard let times else { return .max }
    guard times > 0 else { throw .timesNotPositive(times) }
    return Int64(times)
  }
}
