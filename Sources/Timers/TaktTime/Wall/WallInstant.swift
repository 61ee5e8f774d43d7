/// An instant on the wall clock: nanoseconds since 1970-01-01T00:00:00Z.
///
/// The clock can be set, so the difference of two readings does not measure elapsed time. The range
/// of `Int64` reaches from 1677 to 2262; arithmetic saturates at its ends.
public struct WallInstant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the Unix epoch.
  public var nanoseconds: Int64

  /// The instant `nanoseconds` after the Unix epoch.
  @inlinable public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

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

extension WallInstant {
  /// The instant `seconds` after the Unix epoch, to the nearest nanosecond that a `Double` holds.
  ///
  /// The way from Foundation, on which this library does not depend:
  ///
  /// ```swift
  /// let deadline = WallInstant(secondsSince1970: date.timeIntervalSince1970)
  /// let date = Date(timeIntervalSince1970: deadline.secondsSince1970)
  /// ```
  /// Saturates at the ends of the type's range. NaN becomes the latest instant, which no timer
  /// reaches.
  public init(secondsSince1970 seconds: Double) {
    let whole = seconds.rounded(.down)
    guard whole.magnitude < Double(Int64.max / 1_000_000_000) else {
      self.init(nanoseconds: seconds < 0 ? .min : .max)
      return
    }
    // Apart: a sum in `Double` would be a multiple of 256 ns in this century.
    let fraction = Int64(((seconds - whole) * 1_000_000_000).rounded())
    self.init(nanoseconds: Int64(whole) * 1_000_000_000 + fraction)
  }

  /// Seconds since the Unix epoch, as `Date(timeIntervalSince1970:)` takes them; to about 0.2 µs in
  /// this century.
  public var secondsSince1970: Double {
    let whole = nanoseconds.flooredQuotient(by: 1_000_000_000)
    let fraction = nanoseconds.flooredRemainder(by: 1_000_000_000)
    return Double(whole) + Double(fraction) / 1_000_000_000
  }
}

extension WallInstant {
  /// The instant `milliseconds` after the Unix epoch; saturates at the ends of the type's range.
  @inlinable package init(milliseconds: Int64) {
    let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    self.init(nanoseconds: overflow ? (milliseconds < 0 ? .min : .max) : nanoseconds)
  }

  /// The last moment before this one: what is searched after it may be this one itself.
  @inlinable package var justBefore: WallInstant {
    WallInstant(nanoseconds: nanoseconds == .min ? .min : nanoseconds - 1)
  }

  /// Whole milliseconds since the Unix epoch, rounded down.
  @inlinable package var milliseconds: Int64 { nanoseconds.flooredQuotient(by: 1_000_000) }
}

extension WallInstant {
  /// `2026-11-21T10:04:05.123Z`, or with an offset such as `+01:00` in a zone that has one.
  package func rfc3339(in zone: Zone) -> String {
    let offset = zone.offsetSeconds(at: self)
    let civil = zone.civilTime(at: self)
    var text = civil.description
    let minutes = abs(offset) / 60
    let seconds = abs(offset) % 60
    if offset == 0 {
      text += "Z"
    } else {
      text += (offset < 0 ? "-" : "+") + (minutes / 60).padded(2) + ":" + (minutes % 60).padded(2)
      // RFC 3339 knows no seconds in an offset, but zones before 1972 have them.
      if seconds != 0 { text += ":" + seconds.padded(2) }
    }
    return text
  }
}

extension CivilTime: CustomStringConvertible {
  /// `2026-11-21T10:04:05.123`
  package var description: String {
    year.padded(4) + "-" + month.padded(2) + "-" + day.padded(2) + "T" + timeOfDay
  }

  /// `10:04:05.123`
  package var timeOfDay: String {
    hour.padded(2) + ":" + minute.padded(2) + ":" + second.padded(2) + "."
      + millisecond.padded(3)
  }
}

extension Int {
  /// The number with leading zeros, at least `width` digits.
  package func padded(_ width: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
