/// A date and a time of day as a jobs file writes them: `2026-12-24T18:00:05.250+01:00`.
package struct InstantText: Hashable, Sendable {
  package enum Problem: Error, Equatable {
    case form
    case bareDate
    case noSuchTime
    /// Outside the years 1970 to 2200.
    case outOfRange
  }

  package var civil: CivilTime
  /// Seconds east of Greenwich; nil when the text does not say.
  package var offsetSeconds: Int?

  package init(_ text: String) throws(Problem) {
    var rest = text.utf8[...]
    guard let year = Self.digits(4, &rest), Self.consume("-", &rest),
      let month = Self.digits(2, &rest), Self.consume("-", &rest), let day = Self.digits(2, &rest)
    else { throw .form }
    if rest.isEmpty { throw .bareDate }
    guard Self.consume("T", &rest) || Self.consume(" ", &rest), let hour = Self.digits(2, &rest),
      Self.consume(":", &rest), let minute = Self.digits(2, &rest)
    else { throw .form }
    civil = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute)
    if Self.consume(":", &rest) {
      guard let second = Self.digits(2, &rest) else { throw .form }
      civil.second = second
      if Self.consume(".", &rest) {
        guard let millisecond = Self.digits(3, &rest) else { throw .form }
        civil.millisecond = millisecond
      }
    }
    offsetSeconds = try Self.offset(&rest)
    guard rest.isEmpty else { throw .form }
    guard civil.isValid else { throw .noSuchTime }
    guard (1970...2200).contains(civil.year) else { throw .outOfRange }
    if let offsetSeconds, civil.epochSeconds < offsetSeconds { throw .outOfRange }
  }

  /// Nil when the text has no offset.
  package var instant: WallInstant? {
    offsetSeconds.map {
      WallInstant(
        milliseconds: (civil.epochSeconds - Int64($0)) * 1000 + Int64(civil.millisecond))
    }
  }

  private static func offset(_ rest: inout Substring.UTF8View) throws(Problem) -> Int? {
    if rest.isEmpty { return nil }
    if consume("Z", &rest) { return 0 }
    let isWest = rest.first == UInt8(ascii: "-")
    guard consume("+", &rest) || consume("-", &rest), let hours = digits(2, &rest),
      consume(":", &rest),
      let minutes = digits(2, &rest)
    else { throw .form }
    var seconds = 0
    if consume(":", &rest) {
      guard let written = digits(2, &rest) else { throw .form }
      seconds = written
    }
    guard hours < 24, minutes < 60, seconds < 60 else { throw .noSuchTime }
    return (hours * 3600 + minutes * 60 + seconds) * (isWest ? -1 : 1)
  }

  private static func consume(_ sign: Unicode.Scalar, _ rest: inout Substring.UTF8View) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest.removeFirst()
    return true
  }

  private static func digits(_ count: Int, _ rest: inout Substring.UTF8View) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    rest = rest.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
