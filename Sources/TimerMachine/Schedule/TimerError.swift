/// Why a schedule cannot be made. The system would trap on the same values, or spin.
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
    case .intervalNotPositive(let value): "the interval must be longer than zero, not \(value)"
    case .intervalTooLong(let value): "the interval \(value) is longer than 146 years"
    case .leewayNegative(let value): "the leeway must not be negative, as \(value) is"
    case .leewayTooLong(let value): "the leeway \(value) is longer than 146 years"
    case .delayNegative(let value): "the delay must not be negative, as \(value) is"
    case .delayTooLong(let value): "the delay \(value) is longer than 146 years"
    case .timesNotPositive(let value): "the number of fires must be at least 1, not \(value)"
    case .secondsNotFinite(let value): "\(value) is not a number of seconds"
    case .secondsOutOfRange(let value): "\(value) s is longer than 146 years"
    }
  }
}
