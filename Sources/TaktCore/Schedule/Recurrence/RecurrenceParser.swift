package import TaktTime

/// Reads a recurrence: properties of RFC 5545, separated by blanks or line ends.
struct RecurrenceParser {
  private var reader: ByteReader

  private static let properties = ["DTSTART", "RRULE", "RDATE", "EXDATE"]
  /// So many characters of a word are shown.
  private static let shownMax = 40

  private let zone: ((String?) -> Zone)?

  init(_ text: String, zone: ((String?) -> Zone)? = nil) {
    reader = ByteReader(text)
    self.zone = zone
  }

  /// A property: its name, its parameters in capitals, and where its value is.
  private struct Property {
    var name: String
    var place: Int
    var parameters: [String: String]
    var value: Range<Int>
  }

  mutating func recurrence() throws(RecurrenceProblem) -> (
    recurrence: Recurrence, zoneName: String?
  ) {
    var start: (time: RecurrenceTime, zone: String?)?
    var rule: Property?
    var lists: [Property] = []
    while let property = try property() {
      switch property.name {
      case "DTSTART":
        if start != nil { throw RecurrenceProblem(.twice(property.name), at: property.place) }
        let time = try RecurrenceTime.read(reader, property.value, of: property.name)
        start = (time, time.isUTC ? "UTC" : property.parameters["TZID"])
      case "RRULE":
        if rule != nil { throw RecurrenceProblem(.twice(property.name), at: property.place) }
        rule = property
      default: lists.append(property)
      }
    }
    guard start != nil || rule != nil || !lists.isEmpty else {
      throw RecurrenceProblem(.empty, at: 0)
    }
    guard let start else { throw RecurrenceProblem(.missingStart, at: rule?.place ?? 0) }
    guard let rule else { throw RecurrenceProblem(.missingRule, at: reader.end) }
    var parser = RecurrenceRuleParser(
      ByteReader(bytes: reader.bytes, from: rule.value.lowerBound, to: rule.value.upperBound),
      start: start.time)
    let read = try parser.rule()
    var (dates, exceptions): ([Int64], [Int64]) = ([], [])
    for list in lists {
      let times = try times(of: list, like: start.time, in: start.zone)
      if list.name == "RDATE" { dates += times } else { exceptions += times }
    }
    return (
      Recurrence(start: start.time.local, rule: read, dates: dates, exceptions: exceptions),
      start.zone
    )
  }

  private mutating func property() throws(RecurrenceProblem) -> Property? {
    reader.skip { ByteReader.isBlank($0) || $0 == 0x0a || $0 == 0x0d }
    guard !reader.isAtEnd else { return nil }
    let place = reader.position
    let name = word().uppercased()
    // A rule may stand without its name.
    if RecurrenceRuleParser.parts.contains(name), reader.next == UInt8(ascii: "=") {
      reader.position = place
      return Property(name: "RRULE", place: place, parameters: [:], value: value())
    }
    guard Self.properties.contains(name) else {
      let nearest = NearestName.of(name, among: Self.properties)
      let isProperty = reader.next.map { ":;=".utf8.contains($0) } ?? false
      if name.isEmpty || nearest == nil && !isProperty {
        let end = value().upperBound
        let text = reader.text(from: place, to: end).prefix(Self.shownMax)
        throw RecurrenceProblem(.noProperty(String(text)), at: place)
      }
      throw RecurrenceProblem(.unknown(name, nearest: nearest), at: place)
    }
    var parameters: [String: String] = [:]
    while reader.consume(";") {
      let place = reader.position
      let key = word().uppercased()
      guard key == "TZID" || key == "VALUE", reader.consume("=") else {
        throw RecurrenceProblem(
          .unknown(key, nearest: NearestName.of(key, among: ["TZID", "VALUE"])), at: place)
      }
      let start = reader.position
      reader.skip { !Self.isEnd($0) && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ":") }
      parameters[key] = reader.text(from: start, to: reader.position)
    }
    guard reader.consume(":") else {
      throw RecurrenceProblem(.badValue("", of: name), at: reader.position)
    }
    return Property(name: name, place: place, parameters: parameters, value: value())
  }

  private mutating func word() -> String {
    let start = reader.position
    reader.skip { ByteReader.isLetter($0) || $0 == UInt8(ascii: "-") }
    return reader.text(from: start, to: reader.position)
  }

  private mutating func value() -> Range<Int> {
    let start = reader.position
    reader.skip { !Self.isEnd($0) }
    return start..<reader.position
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    ByteReader.isBlank(byte) || byte == 0x0a || byte == 0x0d
  }

  /// The times of a list, by the clock of DTSTART.
  private func times(
    of property: Property, like start: RecurrenceTime, in startZone: String?
  ) throws(RecurrenceProblem) -> [Int64] {
    let listZone = property.parameters["TZID"]
    var times: [Int64] = []
    var place = property.value.lowerBound
    while true {
      let end =
        reader.bytes[place..<property.value.upperBound].firstIndex(of: UInt8(ascii: ","))
        ?? property.value.upperBound
      let time = try RecurrenceTime.read(reader, place..<end, of: property.name)
      let own = time.isUTC ? "UTC" : listZone ?? startZone
      guard time.isDate == start.isDate, time.isUTC || listZone != nil || !start.isUTC,
        let local = local(time, in: own, by: startZone)
      else { throw RecurrenceProblem(.otherForm(property.name), at: place) }
      guard times.count < Recurrence.datesMax else {
        throw RecurrenceProblem(.tooMany(property.name, max: Recurrence.datesMax), at: place)
      }
      times.append(local)
      guard end < property.value.upperBound else { return times }
      place = end + 1
    }
  }
}

extension RecurrenceParser {
  /// A time of one zone by the clock of another; nil where the zones are not known.
  private func local(
    _ time: RecurrenceTime, in name: String?, by other: String?
  ) -> Int64? {
    if name == other || time.isDate { return time.local }
    guard let zone else { return nil }
    let instant = zone(name).instant(ofDateTime: time.local)
    return instant + Int64(zone(other).offsetSeconds(atEpochSeconds: instant))
  }
}

extension ZoneSource {
  /// The zone that a TZID names; nil when there is none. Some programs quote the name, or write a path
  /// in front of it: `/Europe/London`, `/example.org/20260101_1/Europe/London`.
  package func zone(ofIdentifier text: String) -> Zone? {
    let text = text.filter { $0 != "\"" }
    let isRooted = text.hasPrefix("/")
    let parts = text.split(separator: "/")
    let counts =
      (isRooted && parts.count <= 3 ? [parts.count] : []) + [3, 2].filter { $0 < parts.count }
    let names =
      (isRooted ? [] : [text]) + counts.map { parts.suffix($0).joined(separator: "/") }
    return names.lazy.filter { $0 != "local" }.compactMap { zone(named: $0) }.first
  }
}

/// A date, or a date and a time of day, as RFC 5545 writes them: `20260105`, `20260105T090000Z`.
struct RecurrenceTime: Hashable, Sendable {
  /// Seconds as if the zone were UTC.
  var local: Int64
  var isDate: Bool
  var isUTC: Bool

  static let years = 1601...2261

  static func read(
    _ reader: ByteReader, _ range: Range<Int>, of part: String
  ) throws(RecurrenceProblem) -> RecurrenceTime {
    let bytes = reader.bytes[range]
    guard let time = RecurrenceTime(bytes) else {
      throw RecurrenceProblem(
        .badDate(String(decoding: bytes.prefix(40), as: UTF8.self), of: part), at: range.lowerBound)
    }
    return time
  }

  /// `20260105T090000`
  static func text(_ local: Int64) -> String {
    let civil = CivilTime(epochSeconds: local)
    return civil.year.padded(4) + civil.month.padded(2) + civil.day.padded(2) + "T"
      + civil.hour.padded(2) + civil.minute.padded(2) + civil.second.padded(2)
  }

  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    func number(_ digits: Int) -> Int? {
      let part = rest.prefix(digits)
      guard part.count == digits, part.allSatisfy(ByteReader.isDigit) else { return nil }
      rest = rest.dropFirst(digits)
      return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
    guard let year = number(4), let month = number(2), let day = number(2) else { return nil }
    var civil = CivilTime(year: year, month: month, day: day)
    isDate = rest.isEmpty
    if !isDate {
      guard rest.popFirst().map({ $0 | 0x20 == UInt8(ascii: "t") }) == true,
        let hour = number(2), let minute = number(2), let second = number(2)
      else { return nil }
      (civil.hour, civil.minute, civil.second) = (hour, minute, second)
    }
    isUTC = rest.popFirst().map { $0 | 0x20 == UInt8(ascii: "z") } ?? false
    guard civil.isValid, Self.years.contains(year), rest.isEmpty, !(isUTC && isDate),
      bytes.count == (isDate ? 8 : isUTC ? 16 : 15)
    else { return nil }
    local = civil.epochSeconds
  }
}
