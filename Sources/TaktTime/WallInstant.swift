/// A moment on the clock that people read: nanoseconds since 1970-01-01T00:00:00Z.
///
/// The clock can be set, so a difference of two readings is no measure of time passed. The range
/// of `Int64` reaches from 1677 to 2262; arithmetic saturates at its ends.
public struct WallInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the Unix epoch.
  public var nanoseconds: Int64

  /// The moment `nanoseconds` after the Unix epoch.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Whether `left` comes before `right`.
  public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The moment `duration` later; saturates.
  public static func + (instant: Self, duration: Duration) -> Self {
    Self(nanoseconds: instant.nanoseconds.addingSaturated(duration.nanosecondsSaturated))
  }

  /// The moment `duration` earlier; saturates.
  public static func - (instant: Self, duration: Duration) -> Self {
    Self(nanoseconds: instant.nanoseconds.subtractingSaturated(duration.nanosecondsSaturated))
  }

  /// The time from `earlier` to `later`; negative when they stand the other way round.
  public static func - (later: Self, earlier: Self) -> Duration {
    .nanoseconds(later.nanoseconds.subtractingSaturated(earlier.nanoseconds))
  }
}
