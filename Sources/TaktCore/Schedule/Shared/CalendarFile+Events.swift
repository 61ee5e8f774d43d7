import TaktTime

/// An event as the file says it: its properties that say when it is, with their lines.
struct FileEvent {
  /// A property with its parameters.
  struct Value {
    var bytes: ArraySlice<UInt8>
    var parameters: [String: String]
    var line: Int
    var name: String

    init(_ property: CalendarFileProperty, at line: Int) {
      bytes = property.value
      parameters = property.parameters
      name = property.name
      self.line = line
    }

    /// The values of a list.
    var items: [Value] {
      bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { item in
        var value = self
        value.bytes = item
        return value
      }
    }

    var text: String { String(decoding: bytes.prefix(200), as: UTF8.self) }
  }

  var line: Int
  var uid: [UInt8]?
  var start: Value?
  var end: Value?
  var duration: Value?
  var rules: [Value] = []
  var dates: [Value] = []
  var exceptions: [Value] = []
  var recurrenceID: Value?
  var isCancelled = false
  /// The line of an EXRULE.
  var exceptionRule: Int?

  init(line: Int) { self.line = line }

  mutating func add(_ property: CalendarFileProperty, at line: Int) {
    let value = Value(property, at: line)
    switch property.name {
    case "UID": uid = Array(value.bytes)
    case "DTSTART": start = value
    case "DTEND": end = value
    case "DURATION": duration = value
    case "RRULE": rules.append(value)
    case "RDATE": dates.append(value)
    case "EXDATE": exceptions.append(value)
    case "EXRULE": exceptionRule = line
    case "RECURRENCE-ID": recurrenceID = value
    case "STATUS": isCancelled = value.text.uppercased() == "CANCELLED"
    default: break
    }
  }

  /// How long it lasts: in days where it begins with a date, else in seconds.
  func length(
    from start: FileTime, _ zones: any ZoneSource
  ) throws(CalendarFileFlaw) -> Int64 {
    if let end {
      let time = try FileTime(end, zones)
      guard time.isDate == start.isDate, (time.zone == nil) == (start.zone == nil) else {
        throw CalendarFileFlaw(end.line, "DTEND and DTSTART have different forms")
      }
      let length: Int64
      if let first = start.instant, let last = time.instant {
        length = last - first
      } else {
        length = time.local - start.local
      }
      guard length >= 0 else { throw CalendarFileFlaw(end.line, "DTEND is before DTSTART") }
      return max(1, start.isDate ? length / 86_400 : length)
    }
    guard let duration else { return 1 }
    guard let seconds = Self.seconds(duration.bytes) else {
      throw CalendarFileFlaw(
        duration.line, "'\(CalendarFile.shown(duration.text))' is no duration",
        hint: "write P1D or PT1H30M")
    }
    guard start.isDate else { return max(1, seconds) }
    return max(1, (seconds + 86_399) / 86_400)
  }

  /// `P1W`, `P1DT2H`, `PT30M`: in seconds; nil for what is none, is negative, or longer than 100 years.
  static func seconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
    var rest = bytes
    if rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    guard rest.popFirst().map({ $0 | 0x20 == UInt8(ascii: "p") }) == true, !rest.isEmpty else {
      return nil
    }
    var total: Int64 = 0
    var isTime = false
    while let byte = rest.first {
      if byte | 0x20 == UInt8(ascii: "t"), !isTime {
        isTime = true
        rest.removeFirst()
        continue
      }
      let digits = rest.prefix(while: ByteReader.isDigit)
      guard (1...12).contains(digits.count) else { return nil }
      let number = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - 0x30) }
      rest = rest.dropFirst(digits.count)
      let unit: Int64
      switch (rest.popFirst().map { $0 | 0x20 }, isTime) {
      case (UInt8(ascii: "w"), false): unit = 7 * 86_400
      case (UInt8(ascii: "d"), false): unit = 86_400
      case (UInt8(ascii: "h"), true): unit = 3600
      case (UInt8(ascii: "m"), true): unit = 60
      case (UInt8(ascii: "s"), true): unit = 1
      default: return nil
      }
      total += number * unit
      guard total <= 36_600 * 86_400 else { return nil }
    }
    return total
  }
}

extension FileEvent.Value {
  /// A time of RDATE, which may be a period: where it begins, and how long it lasts if it says so.
  func period(
    _ zones: any ZoneSource
  ) throws(CalendarFileFlaw) -> (start: FileTime, length: Int64?) {
    guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else {
      return (try FileTime(self, zones), nil)
    }
    let time = try FileTime(start, zones)
    var rest = self
    rest.bytes = bytes[(slash + 1)...]
    if let seconds = FileEvent.seconds(rest.bytes) { return (time, max(1, seconds)) }
    let end = try FileTime(rest, zones)
    guard let first = time.instant ?? (end.instant == nil ? time.local : nil),
      let last = end.instant ?? (time.instant == nil ? end.local : nil), last >= first
    else { throw CalendarFileFlaw(line, "'\(CalendarFile.shown(text))' is no period") }
    return (time, max(1, last - first))
  }

  /// It without the end of a period.
  var start: Self {
    var value = self
    value.bytes = bytes.prefix { $0 != UInt8(ascii: "/") }
    return value
  }

  /// The rule, with an UNTIL of the form of DTSTART: many programs write the other one.
  func rule(like start: FileTime) -> String {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: ";").map { part in
      guard part.uppercased().hasPrefix("UNTIL=") else { return String(part) }
      let value = part.dropFirst(6)
      if start.isDate { return "UNTIL=" + value.prefix(8) }
      return value.utf8.count == 8
        ? "UNTIL=\(value)T235959" + (start.isUTC ? "Z" : "") : String(part)
    }
    return parts.joined(separator: ";")
  }
}

/// A date, or a date with a time of day and where it is.
struct FileTime {
  /// Seconds as if the zone were UTC.
  let local: Int64
  let isDate: Bool
  let isUTC: Bool
  /// Nil for a date, and for a time without a zone.
  let zone: Zone?

  init(_ value: FileEvent.Value, _ zones: any ZoneSource) throws(CalendarFileFlaw) {
    guard let time = RecurrenceTime(value.bytes) else {
      throw CalendarFileFlaw(
        value.line,
        "'\(CalendarFile.shown(value.text))' in \(value.name) is no date from 1601 to 2261",
        hint: "write 20261224, or 20261224T180000 with a time of day")
    }
    (local, isDate, isUTC) = (time.local, time.isDate, time.isUTC)
    if isUTC {
      zone = .utc
    } else if !isDate, let name = value.parameters["TZID"] {
      guard let found = Self.zone(named: name, zones) else {
        throw CalendarFileFlaw(
          value.line, "there is no time zone '\(CalendarFile.shown(name))'",
          hint: "takt reads the names of the IANA, such as Europe/Berlin; VTIMEZONE does not count")
      }
      zone = found
    } else {
      zone = nil
    }
  }

  /// Some programs write a path in front of the name.
  private static func zone(named name: String, _ zones: any ZoneSource) -> Zone? {
    guard name != "local" else { return nil }
    if !name.hasPrefix("/"), let zone = zones.zone(named: name) { return zone }
    let parts = name.split(separator: "/")
    for count in [3, 2] where parts.count > count {
      if let zone = zones.zone(named: parts.suffix(count).joined(separator: "/")) { return zone }
    }
    return nil
  }

  /// In seconds since the epoch; nil for a date, and for a time without a zone.
  var instant: Int64? {
    guard let zone, !isDate else { return nil }
    return switch zone.read(CivilTime(epochSeconds: local)) {
    case .once(let instant), .skipped(let instant), .twice(let instant, _):
      instant.milliseconds.flooredQuotient(by: 1000)
    }
  }

  /// `20261224`, `20261224T180000`
  var text: String {
    let text = RecurrenceTime.text(local)
    return isDate ? String(text.prefix(8)) : text + (isUTC ? "Z" : "")
  }

  /// Another time of the event, such as an exception, in the local time of this one.
  func local(
    of value: FileEvent.Value, _ zones: any ZoneSource
  ) throws(CalendarFileFlaw) -> Int64 {
    let other = try FileTime(value, zones)
    if other.isDate, !isDate { return other.local + local.flooredRemainder(by: 86_400) }
    if isDate { return other.local - other.local.flooredRemainder(by: 86_400) }
    if other.zone == zone { return other.local }
    guard let zone, let instant = other.instant else {
      throw CalendarFileFlaw(value.line, "\(value.name) and DTSTART have different forms")
    }
    return instant + Int64(zone.offsetSeconds(atEpochSeconds: instant))
  }
}
