/// An instant on the monotonic clock, which no one can set: nanoseconds of `CLOCK_MONOTONIC`.
///
/// The clock stops while the machine sleeps, and its instants mean nothing after a reboot. The type
/// saturates: arithmetic that would leave the range of `Int64` (292 years) stays at its end.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's start.
  public var nanoseconds: Int64

  /// The instant `nanoseconds` after the clock's start.
  @inlinable public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Later than every instant for which a timer can be armed.
  public static let distantFuture = MonotonicInstant(nanoseconds: .max)

  /// Orders instants by time.
  @inlinable public static func < (left: Self, right: Self) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant `duration` later; saturates.
  @inlinable public static func + (instant: Self, duration: Duration) -> Self {
    Self(nanoseconds: instant.nanoseconds.addingSaturated(duration.nanosecondsSaturated))
  }

  /// The instant `duration` earlier; saturates.
  @inlinable public static func - (instant: Self, duration: Duration) -> Self {
    Self(nanoseconds: instant.nanoseconds.subtractingSaturated(duration.nanosecondsSaturated))
  }

  /// The time from `earlier` to `later`; negative if `later` precedes `earlier`.
  @inlinable public static func - (later: Self, earlier: Self) -> Duration {
    .nanoseconds(later.nanoseconds.subtractingSaturated(earlier.nanoseconds))
  }
}

extension MonotonicInstant: InstantProtocol {
  /// The instant `duration` later; saturates.
  public func advanced(by duration: Duration) -> MonotonicInstant { self + duration }

  /// The time until `other`; negative when it is earlier.
  public func duration(to other: MonotonicInstant) -> Duration { other - self }
}
