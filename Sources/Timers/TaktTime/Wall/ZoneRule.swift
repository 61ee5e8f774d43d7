/// The rule for a zone after its last transition: the POSIX `TZ` string at the end of a zone file,
/// such as `CET-1CEST,M3.5.0,M10.5.0/3`.
package struct ZoneRule: Hashable, Sendable {
  /// A day of the year and a second of that day, in the local time before the change.
  package struct Change: Hashable, Sendable {
    enum Day: Hashable, Sendable {
      case weekday(month: Int, week: Int, weekday: Int)
      case dayOfYear(Int)
      case dayOfYearWithoutLeap(Int)
    }
    var day: Day
    var second: Int

    func epochSeconds(year: Int, offsetSeconds: Int) -> Int64 {
      dayNumber(year: year) * 86_400 + Int64(second - offsetSeconds)
    }

    private func dayNumber(year: Int) -> Int64 {
      let newYear = CivilTime.daysSinceEpoch(year: year, month: 1, day: 1)
      switch day {
      case .dayOfYear(let day):
        return newYear + Int64(day)
      case .dayOfYearWithoutLeap(let day):
        return newYear + Int64(day - 1) + (CivilTime.isLeap(year: year) && day >= 60 ? 1 : 0)
      case .weekday(let month, let week, let weekday):
        let first = CivilTime.daysSinceEpoch(year: year, month: month, day: 1)
        let shift = (weekday - CivilTime.weekday(daysSinceEpoch: first) + 7) % 7
        var day = shift + (week - 1) * 7
        if day >= CivilTime.days(inMonth: month, of: year) { day -= 7 }
        return first + Int64(day)
      }
    }
  }

  package let standardOffsetSeconds: Int
  package let daylight: Daylight?

  package struct Daylight: Hashable, Sendable {
    var offsetSeconds: Int
    var start: Change
    var end: Change
  }

  package func offsetSeconds(atEpochSeconds seconds: Int64) -> Int {
    guard let daylight else { return standardOffsetSeconds }
    let year = CivilTime(epochSeconds: seconds + Int64(standardOffsetSeconds)).year
    let start = daylight.start.epochSeconds(year: year, offsetSeconds: standardOffsetSeconds)
    let end = daylight.end.epochSeconds(year: year, offsetSeconds: daylight.offsetSeconds)
    let isDaylight =
      start < end ? seconds >= start && seconds < end : seconds >= start || seconds < end
    return isDaylight ? daylight.offsetSeconds : standardOffsetSeconds
  }
}

extension ZoneRule {
  /// Reads a POSIX `TZ` string with the extensions of RFC 8536; nil when it is none.
  package init?(posix text: some StringProtocol) {
    var reader = PosixReader(rest: Array(text.utf8)[...])
    guard reader.name(), let standard = reader.time() else { return nil }
    standardOffsetSeconds = -standard
    guard !reader.rest.isEmpty else {
      daylight = nil
      return
    }
    guard reader.name() else { return nil }
    var offset = standardOffsetSeconds + 3600
    if reader.rest.first != UInt8(ascii: ",") {
      guard let written = reader.time() else { return nil }
      offset = -written
    }
    guard reader.consume(","), let start = reader.change(), reader.consume(","),
      let end = reader.change(), reader.rest.isEmpty
    else { return nil }
    daylight = Daylight(offsetSeconds: offset, start: start, end: end)
  }
}

private struct PosixReader {
  package var rest: ArraySlice<UInt8>

  package mutating func consume(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// `CET` or `<+0330>`.
  package mutating func name() -> Bool {
    if consume("<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let letters = rest.prefix {
      ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z")
    }
    rest = rest.dropFirst(letters.count)
    return letters.count >= 3
  }

  package mutating func number() -> Int? {
    let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard !digits.isEmpty, digits.count <= 4 else { return nil }
    rest = rest.dropFirst(digits.count)
    return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  /// `[+-]h[h[h]][:mm[:ss]]`, in seconds.
  package mutating func time() -> Int? {
    let isNegative = consume("-")
    if !isNegative { _ = consume("+") }
    guard let hours = number() else { return nil }
    var seconds = hours * 3600
    if consume(":") {
      guard let minutes = number() else { return nil }
      seconds += minutes * 60
      if consume(":") {
        guard let extra = number() else { return nil }
        seconds += extra
      }
    }
    return isNegative ? -seconds : seconds
  }

  package mutating func change() -> ZoneRule.Change? {
    guard let day = day() else { return nil }
    guard consume("/") else { return ZoneRule.Change(day: day, second: 2 * 3600) }
    return time().map { ZoneRule.Change(day: day, second: $0) }
  }

  private mutating func day() -> ZoneRule.Change.Day? {
    if consume("M") {
      guard let month = number(), consume("."), let week = number(), consume("."),
        let weekday = number(), (1...12).contains(month), (1...5).contains(week),
        (0...6).contains(weekday)
      else { return nil }
      return .weekday(month: month, week: week, weekday: weekday)
    }
    if consume("J") { return number().map { .dayOfYearWithoutLeap($0) } }
    return number().map { .dayOfYear($0) }
  }
}
