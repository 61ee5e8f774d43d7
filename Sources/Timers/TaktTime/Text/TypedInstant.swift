/// An instant, or a time of several hours, as people type it: all that a jobs file takes, and a time of
/// day alone or behind a day, such as `yesterday` or `monday`; and such a day alone, or `last night`.
package enum TypedInstant {
  /// The choice between the instants that a time of day alone, or a weekday, can mean.
  package enum Preference: Sendable {
    case past
    /// That of today; of a weekday, the last one.
    case today
    case future
  }

  /// Reads one instant; without an offset, in the zone. Where clocks go back, the first of two.
  package static func read(
    _ text: String, at now: WallInstant, in zone: Zone, preferring preference: Preference
  ) throws(InstantText.Problem) -> WallInstant {
    let period = try TypedPeriod(text, at: now, in: zone, preferring: preference)
    if period.isLong { throw .bareDate }
    return period.first
  }
}

/// The time that a text names: a day, a night, or as much as the last unit of an instant says.
package struct TypedPeriod: Hashable, Sendable {
  package var first: WallInstant
  /// The first instant after it.
  package var end: WallInstant
  /// True if no time of day was typed.
  package var isLong: Bool

  /// Reads the text; without an offset, in the zone. Where clocks go back, the first of two.
  package init(
    _ text: String, at now: WallInstant, in zone: Zone,
    preferring preference: TypedInstant.Preference
  ) throws(InstantText.Problem) {
    let reading = TypedWords(now: now, zone: zone, preference: preference)
    let parts = text.split(separator: " ", omittingEmptySubsequences: true)
    if text == "now" {
      self.init(now, lasting: .seconds(60))
    } else if parts.map({ $0.lowercased() }) == ["last", "night"] {
      // From the evening of yesterday to the morning of today.
      self.init(
        from: try reading.time("18:00", days: -1), to: try reading.time("06:00", days: 0))
    } else if parts.count == 1, let clock = parts.first, clock.contains(":"), !clock.contains("-") {
      self.init(try reading.time(clock), lasting: Self.precision(of: clock))
    } else if let word = parts.first, let days = reading.days(to: word.lowercased()) {
      guard parts.count <= 2 else { throw .form }
      if parts.count == 1 {
        self = try reading.day(days.first)
      } else {
        self.init(
          try reading.time(parts[1], on: days), lasting: Self.precision(of: parts[1]))
      }
    } else if text.utf8.count == 10, Self.isDate(text) {
      self = try reading.day(text)
    } else {
      let written = try InstantText(text)
      let clock = text.split { $0 == " " || $0 == "T" }.last ?? ""
      self.init(
        written.instant ?? reading.instant(of: written.civil), lasting: Self.precision(of: clock))
    }
  }

  private init(_ first: WallInstant, lasting duration: Duration) {
    (self.first, end, isLong) = (first, first + duration, false)
  }

  fileprivate init(from first: WallInstant, to end: WallInstant) {
    (self.first, self.end, isLong) = (first, end, true)
  }

  /// True for a date without a time of day.
  private static func isDate(_ text: String) -> Bool {
    do throws(InstantText.Problem) {
      _ = try InstantText(text)
      return false
    } catch {
      return error == .bareDate
    }
  }

  /// The length of the unit that a time of day ends with: a minute, a second or a millisecond.
  private static func precision(of clock: Substring) -> Duration {
    let time = clock.prefix { $0.isNumber || $0 == ":" || $0 == "." }
    if time.contains(".") { return .milliseconds(1) }
    return time.count { $0 == ":" } > 1 ? .seconds(1) : .seconds(60)
  }
}

private struct TypedWords {
  let now: WallInstant
  let zone: Zone
  let preference: TypedInstant.Preference

  private static let weekdays = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  /// Days from today to those that a word names, the preferred one first; nil for another word.
  func days(to word: String) -> (first: Int64, other: Int64?)? {
    switch word {
    case "yesterday": return (-1, nil)
    case "today": return (0, nil)
    case "tomorrow": return (1, nil)
    default: break
    }
    let place = Self.weekdays.firstIndex { $0 == word || $0.prefix(3) == word }
    guard let place else { return nil }
    let distance = (Int64(place) - today.weekday + 7) % 7
    switch preference {
    case .past, .today: return distance == 0 ? (0, -7) : (distance - 7, nil)
    case .future: return distance == 0 ? (0, 7) : (distance, nil)
    }
  }

  func time(_ clock: Substring) throws(InstantText.Problem) -> WallInstant {
    switch preference {
    case .today: try time(clock, days: 0)
    case .past: try time(clock, on: (0, -1))
    case .future: try time(clock, on: (0, 1))
    }
  }

  /// A time of day on the first of two days, or on the other one where that is on the wrong side of now.
  func time(
    _ clock: Substring, on days: (first: Int64, other: Int64?)
  ) throws(InstantText.Problem) -> WallInstant {
    let instant = try time(clock, days: days.first)
    guard let other = days.other else { return instant }
    let isWanted = preference == .future ? instant > now : instant <= now
    return isWanted ? instant : try time(clock, days: other)
  }

  /// A time of day, so many days after today.
  func time(_ clock: Substring, days: Int64) throws(InstantText.Problem) -> WallInstant {
    let isShort = clock.prefix { $0 != ":" }.count == 1
    let written = try InstantText("\(date(days))T\(isShort ? "0" : "")\(clock)")
    return written.instant ?? instant(of: written.civil)
  }

  /// A whole day, so many days after today.
  func day(_ days: Int64) throws(InstantText.Problem) -> TypedPeriod {
    TypedPeriod(from: try time("00:00", days: days), to: try time("00:00", days: days + 1))
  }

  /// The whole day of a date.
  func day(_ date: String) throws(InstantText.Problem) -> TypedPeriod {
    let first = try InstantText("\(date)T00:00").civil
    let next = CivilTime(epochSeconds: first.epochSeconds + 86_400)
    return TypedPeriod(from: instant(of: first), to: instant(of: next))
  }

  func instant(of civil: CivilTime) -> WallInstant {
    switch zone.read(civil) {
    case .once(let instant), .skipped(let instant), .twice(let instant, _): instant
    }
  }

  private var today: (noon: Int64, weekday: Int64) {
    let today = zone.civilTime(at: now)
    let noon = CivilTime(year: today.year, month: today.month, day: today.day, hour: 12)
      .epochSeconds
    // 1970-01-01 was a Thursday.
    return (noon, (noon / 86_400 + 4) % 7)
  }

  private func date(_ days: Int64) -> String {
    let day = CivilTime(epochSeconds: today.noon + days * 86_400)
    return "\(day.year.padded(4))-\(day.month.padded(2))-\(day.day.padded(2))"
  }
}
