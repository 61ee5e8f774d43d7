package import TaktTime

/// Reads a recurrence: properties of RFC 5545, separated by blanks or line ends.
struct RecurrenceParser {
  private var reader: ByteReader

  private static let properties = ["DTSTART", "RRULE", "RDATE", "EXDATE"]
  /// The most characters of a word that are shown.
  private static let shownMax = 40

  private let zone: ((String?) -> Zone?)?

  init(_ text: String, zone: ((String?) -> Zone?)? = nil) {
    reader = ByteReader(text)
    self.zone = zone
  }

  /// A property: its name, its TZID, and the place of its value.
  private struct Property {
    var name: String
    var place: Int
    var zone: (name: String, place: Int)?
    var value: Range<Int>
  }

  /// The times of lists: by the clock of DTSTART, and of other zones as instants.
  private typealias Times = (local: [Int64], instants: [Int64])

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
        start = (time, time.isUTC ? "UTC" : property.zone?.name)
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
    var (dates, exceptions): (Times, Times) = (([], []), ([], []))
    for list in lists {
      if list.name == "RDATE" {
        try add(list, like: start.time, in: start.zone, to: &dates)
      } else {
        try add(list, like: start.time, in: start.zone, to: &exceptions)
      }
    }
    let clock = zone?(start.zone)
    return (
      Recurrence(
        start: start.time.local, rule: read,
        dates: RecurrenceTimes(local: dates.local, instants: dates.instants, in: clock),
        exceptions: RecurrenceTimes(
          local: exceptions.local, instants: exceptions.instants, in: clock)),
      start.zone
    )
  }

  private mutating func property() throws(RecurrenceProblem) -> Property? {
    reader.skip { ByteReader.isBlank($0) || $0 == 0x0a || $0 == 0x0d }
    guard !reader.isAtEnd else { return nil }
    let place = reader.position
    let name = word().uppercased()
    // A rule may be given without its name.
    if RecurrenceRuleParser.parts.contains(name), reader.next == UInt8(ascii: "=") {
      reader.position = place
      return Property(name: "RRULE", place: place, value: value())
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
    var zone: (name: String, place: Int)?
    while reader.consume(";") {
      let place = reader.position
      let key = word().uppercased()
      guard key == "TZID" || key == "VALUE", reader.consume("=") else {
        throw RecurrenceProblem(
          .unknown(key, nearest: NearestName.of(key, among: ["TZID", "VALUE"])), at: place)
      }
      let start = reader.position
      reader.skip { !Self.isEnd($0) && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ":") }
      if key == "TZID" { zone = (reader.text(from: start, to: reader.position), start) }
    }
    guard reader.consume(":") else {
      throw RecurrenceProblem(.badValue("", of: name), at: reader.position)
    }
    if reader.next.map(Self.isEnd) ?? true {
      throw RecurrenceProblem(.emptyValue(name), at: reader.position)
    }
    return Property(name: name, place: place, zone: zone, value: value())
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

  private func add(
    _ property: Property, like start: RecurrenceTime, in startZone: String?, to times: inout Times
  ) throws(RecurrenceProblem) {
    if let named = property.zone, let zone, zone(named.name) == nil {
      throw RecurrenceProblem(.unknownZone(named.name), at: named.place)
    }
    var (place, count) = (property.value.lowerBound, 0)
    while true {
      let end =
        reader.bytes[place..<property.value.upperBound].firstIndex(of: UInt8(ascii: ","))
        ?? property.value.upperBound
      let time = try RecurrenceTime.read(reader, place..<end, of: property.name)
      let own = time.isUTC ? "UTC" : property.zone?.name ?? startZone
      guard time.isDate == start.isDate, time.isUTC || property.zone != nil || !start.isUTC else {
        throw RecurrenceProblem(.otherForm(property.name), at: place)
      }
      guard count < Recurrence.datesMax else {
        throw RecurrenceProblem(.tooMany(property.name, max: Recurrence.datesMax), at: place)
      }
      if time.isDate || isOneZone(own, startZone) {
        times.local.append(time.local)
      } else if let instant = time.isUTC
        ? time.local : zone?(own)?.instant(ofDateTime: time.local)
      {
        times.instants.append(instant)
      } else {
        throw RecurrenceProblem(.otherForm(property.name), at: place)
      }
      guard end < property.value.upperBound else { return }
      (place, count) = (end + 1, count + 1)
    }
  }

  /// True if two names, or none, are known to be of one zone.
  private func isOneZone(_ name: String?, _ other: String?) -> Bool {
    name == other || zone.map { $0(name) == $0(other) } ?? false
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

  /// `from 1601 to 2261`
  static var yearWords: String { "from \(years.lowerBound) to \(years.upperBound)" }

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
