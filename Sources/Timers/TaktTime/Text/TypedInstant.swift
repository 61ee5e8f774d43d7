/// An instant as people type it: all that a jobs file takes, and a time of day alone or behind
/// `today`, `tomorrow` or `yesterday`.
package enum TypedInstant {
  /// Which of its instants a time of day alone means.
  package enum Preference: Sendable {
    /// The last one that has passed.
    case past
    /// That of today.
    case today
    /// The next one to come.
    case future
  }

  /// Reads the text; without an offset, in the zone. Where clocks go back, the first of two.
  package static func read(
    _ text: String, at now: WallInstant, in zone: Zone, preferring preference: Preference
  ) throws(InstantText.Problem) -> WallInstant {
    if text == "now" { return now }
    if let written = try words(text, at: now, in: zone, preference) { return written }
    let written = try InstantText(text)
    if let instant = written.instant { return instant }
    return instant(of: written.civil, in: zone)
  }

  private static func words(
    _ text: String, at now: WallInstant, in zone: Zone, _ preference: Preference
  ) throws(InstantText.Problem) -> WallInstant? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: true)
    let today = zone.civilTime(at: now)
    if parts.count == 1, let clock = parts.first, clock.contains(":"), !clock.contains("-") {
      let instant = try time(clock, days: 0, of: today, in: zone)
      switch preference {
      case .today: return instant
      case .past: return instant <= now ? instant : try time(clock, days: -1, of: today, in: zone)
      case .future: return instant > now ? instant : try time(clock, days: 1, of: today, in: zone)
      }
    }
    let days: [String: Int64] = ["yesterday": -1, "today": 0, "tomorrow": 1]
    guard let first = parts.first, let distance = days[first.lowercased()] else { return nil }
    if parts.count == 1 { throw .bareDate }
    guard parts.count == 2 else { throw .form }
    return try time(parts[1], days: distance, of: today, in: zone)
  }

  /// A time of day, so many days after one.
  private static func time(
    _ clock: Substring, days: Int64, of today: CivilTime, in zone: Zone
  ) throws(InstantText.Problem) -> WallInstant {
    let noon = CivilTime(year: today.year, month: today.month, day: today.day, hour: 12)
    let day = CivilTime(epochSeconds: noon.epochSeconds + days * 86_400)
    let date = "\(day.year.padded(4))-\(day.month.padded(2))-\(day.day.padded(2))"
    let isShort = clock.prefix { $0 != ":" }.count == 1
    let written = try InstantText("\(date)T\(isShort ? "0" : "")\(clock)")
    return written.instant ?? instant(of: written.civil, in: zone)
  }

  private static func instant(of civil: CivilTime, in zone: Zone) -> WallInstant {
    switch zone.read(civil) {
    case .once(let instant), .skipped(let instant), .twice(let instant, _): instant
    }
  }
}
