// The core's users need the instants in nearly every file; they are the timer library's own, so
// that one moment has one type. (A module that is named like a class cannot be used to qualify its
// other names, which rules out type aliases.)
@_exported import TimerMachine

/// Both clocks, read together: what every event carries into the core.
public struct Now: Hashable, Sendable {
  /// The clock that people read.
  public var wall: WallInstant
  /// The clock that only goes forward.
  public var monotonic: MonotonicInstant

  /// Two readings taken at one moment.
  public init(wall: WallInstant, monotonic: MonotonicInstant) {
    self.wall = wall
    self.monotonic = monotonic
  }
}

extension TimeSource {
  /// Both clocks, read one right after the other.
  public var now: Now { Now(wall: wall, monotonic: monotonic) }
}

extension WallInstant {
  /// The moment `milliseconds` after the Unix epoch; saturates at the ends of the type's range.
  public init(milliseconds: Int64) {
    let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    self.init(nanoseconds: overflow ? (milliseconds < 0 ? .min : .max) : nanoseconds)
  }

  /// The last moment before this one: what is searched after it may be this one itself.
  var justBefore: WallInstant {
    WallInstant(nanoseconds: nanoseconds == .min ? .min : nanoseconds - 1)
  }

  /// Whole milliseconds since the Unix epoch, rounded down.
  public var milliseconds: Int64 { nanoseconds.flooredQuotient(by: 1_000_000) }
}

extension Int64 {
  /// Division that rounds towards minus infinity; `divisor` is positive.
  func flooredQuotient(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }

  /// The remainder that goes with `flooredQuotient(by:)`; never negative.
  func flooredRemainder(by divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero; saturates.
  public var milliseconds: Int64 { nanosecondsSaturated / 1_000_000 }
}
