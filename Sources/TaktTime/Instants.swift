/// Both clocks, read together: what every event carries into the core.
package struct Now: Hashable, Sendable {
  /// The clock that people read.
  package var wall: WallInstant
  /// The clock that only goes forward.
  package var monotonic: MonotonicInstant

  /// Two readings taken at one moment.
  package init(wall: WallInstant, monotonic: MonotonicInstant) {
    self.wall = wall
    self.monotonic = monotonic
  }
}

extension TimeSource {
  /// Both clocks, read one right after the other.
  package var now: Now { Now(wall: wall, monotonic: monotonic) }
}

extension WallInstant {
  /// The moment `milliseconds` after the Unix epoch; saturates at the ends of the type's range.
  package init(milliseconds: Int64) {
    let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    self.init(nanoseconds: overflow ? (milliseconds < 0 ? .min : .max) : nanoseconds)
  }

  /// The last moment before this one: what is searched after it may be this one itself.
  package var justBefore: WallInstant {
    WallInstant(nanoseconds: nanoseconds == .min ? .min : nanoseconds - 1)
  }

  /// Whole milliseconds since the Unix epoch, rounded down.
  package var milliseconds: Int64 { nanoseconds.flooredQuotient(by: 1_000_000) }
}

extension Int64 {
  /// Division that rounds towards minus infinity; `divisor` is positive.
  package func flooredQuotient(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor < 0 ? quotient - 1 : quotient
  }

  /// The remainder that goes with `flooredQuotient(by:)`; never negative.
  package func flooredRemainder(by divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero; saturates.
  package var milliseconds: Int64 { nanosecondsSaturated / 1_000_000 }
}
