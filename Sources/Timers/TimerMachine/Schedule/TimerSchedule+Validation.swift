import TaktTime

extension TimerSchedule {
  /// A duration of `seconds` seconds. `Duration.seconds` itself traps on NaN and on overflow.
  ///
  /// - Throws: `TimerError` when `seconds` is not finite or beyond `longest` either way.
  public static func duration(seconds: Double) throws(TimerError) -> Duration {
    guard seconds.isFinite else { throw .secondsNotFinite(seconds) }
    guard seconds.magnitude <= Double(Int64(1) << 62) / 1e9 else {
      throw .secondsOutOfRange(seconds)
    }
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

  /// The nearest duration that is neither negative nor overlong.
  static func clamped(_ duration: Duration) -> Int64 {
    min(max(duration, .zero), longest).nanosecondsSaturated
  }

  /// The nearest interval that neither spins nor is overlong.
  static func clamped(interval: Duration) -> Int64 {
    let nanoseconds = clamped(interval)
    guard nanoseconds == 0 else { return nanoseconds }
    #if DEBUG
      RefusalReport.note(
        "an interval of \(interval) was replaced by \(shortestClamped): it must be positive")
    #endif
    return shortestClamped.nanosecondsSaturated
  }

  static func validated(times: Int?) throws(TimerError) -> Int64 {
    guard let times else { return .max }
    guard times > 0 else { throw .timesNotPositive(times) }
    return Int64(times)
  }
}

/// The reason that a schedule is invalid. The system would trap or spin on the same values.
public enum TimerError: Error, Sendable, Hashable {
  /// An interval must be at least one nanosecond; this one is zero or negative.
  case intervalNotPositive(Duration)
  /// An interval must be at most `TimerSchedule.longest`.
  case intervalTooLong(Duration)
  /// A leeway must not be negative.
  case leewayNegative(Duration)
  /// A leeway must be at most `TimerSchedule.longest`.
  case leewayTooLong(Duration)
  /// A delay must not be negative.
  case delayNegative(Duration)
  /// A delay must be at most `TimerSchedule.longest`.
  case delayTooLong(Duration)
  /// The number of fires must be at least 1.
  case timesNotPositive(Int)
  /// A number of seconds must be finite.
  case secondsNotFinite(Double)
  /// A number of seconds must be within `TimerSchedule.longest` either way.
  case secondsOutOfRange(Double)
}

extension TimerError: CustomStringConvertible {
  /// The error as a sentence.
  public var description: String {
    switch self {
    case .intervalNotPositive(let value): "the interval must be positive, but is \(value)"
    case .intervalTooLong(let value): "the interval \(value) is longer than 146 years"
    case .leewayNegative(let value): "the leeway must not be negative, but is \(value)"
    case .leewayTooLong(let value): "the leeway \(value) is longer than 146 years"
    case .delayNegative(let value): "the delay must not be negative, but is \(value)"
    case .delayTooLong(let value): "the delay \(value) is longer than 146 years"
    case .timesNotPositive(let value): "the number of fires must be at least 1, but is \(value)"
    case .secondsNotFinite(let value): "\(value) is not a number of seconds"
    case .secondsOutOfRange(let value): "\(value) s is longer than 146 years"
    }
  }
}
