import TaktCore
import TaktTime

struct TestTimes {
  let reporter: Reporter
  let zone: Zone
  let start: WallInstant

  /// Reads an instant of the file in the zone, unless it has an offset; reports one that the clock
  /// change skips.
  static func instant(
    _ text: InstantText, in zone: Zone, at mark: YAMLMark, _ reporter: Reporter
  ) -> WallInstant? {
    if let instant = text.instant { return instant }
    switch zone.read(text.civil) {
    case .once(let instant), .twice(let instant, _): return instant
    case .skipped:
      reporter.report(
        .ambiguousTime, at: mark,
        "this time does not exist in \(zone.name), where the clock change skips it",
        hint: "write the time after the change, or an offset such as +01:00")
      return nil
    }
  }

  /// Parses `2027-03-28T03:30`, `03:30` for the next one after the start, or `+2h` after it;
  /// reports any other text.
  func instant(_ text: String, at mark: YAMLMark) -> WallInstant? {
    if text.hasPrefix("+"), let after = try? DurationText.parse(String(text.dropFirst())) {
      return start + after
    }
    if let next = next(text) { return next }
    let scalar = YAMLScalar(text: text, isPlain: true)
    let value = KeyReader(reporter: reporter).scalar(scalar, at: mark, as: .instant, of: "at")
    guard case .instant(let written)? = value else { return nil }
    return Self.instant(written, in: zone, at: mark, reporter)
  }

  /// The next occurrence of a time of day after the start; nil for any other text.
  func next(_ text: String) -> WallInstant? {
    guard Self.timeOfDay(text) != nil else { return nil }
    return try? TypedInstant.read(text, at: start.justBefore, in: zone, preferring: .future)
  }

  /// A time in a list: a time of any day, or an instant.
  func time(_ text: String, at mark: YAMLMark) -> TestTime? {
    if let seconds = Self.timeOfDay(text) { return TestTime(timeOfDay: seconds, text: text) }
    return instant(text, at: mark).map { TestTime($0, text: text) }
  }

  /// Seconds since midnight for `2:30`, `02:30` or `02:30:15`.
  private static func timeOfDay(_ text: String) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts[0].utf8.count <= 2,
      parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let numbers = parts.compactMap { Int64($0) }
    guard numbers.count == parts.count, numbers[0] < 24,
      numbers.dropFirst().allSatisfy({ $0 < 60 })
    else { return nil }
    return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count > 2 ? numbers[2] : 0)
  }
}
