import TaktTime

/// An event of the file: the properties of its times, with their lines.
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
  /// Of several with one UID, the highest is the newest.
  var sequence: Int64 = 0
  var summary: String?

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
    case "SEQUENCE": sequence = Int64(value.text) ?? 0
    case "SUMMARY": summary = value.text
    default: break
    }
  }

  /// The time of its series that an event replaces, in any notation.
  enum Instance: Hashable {
    case all
    case instant(Int64)
    case local(Int64)
    case unreadable(ArraySlice<UInt8>)
  }

  func instance(_ zones: any ZoneSource) -> Instance {
    guard let recurrenceID else { return .all }
    guard let time = try? FileTime(recurrenceID, zones) else {
      return .unreadable(recurrenceID.bytes)
    }
    return time.instant.map { .instant($0) } ?? .local(time.local)
  }

  /// Its name for people: by its SUMMARY, its UID or its line.
  var name: String {
    for text in [summary, uid.map { String(decoding: $0.prefix(200), as: UTF8.self) }] {
      guard let text, !text.isEmpty else { continue }
      return "the event '\(CalendarFile.shown(text.replacing("\\,", with: ",")))'"
    }
    return "the event of line \(line)"
  }

  /// Its length, and the reason if its end is not taken as written.
  func length(
    from start: FileTime, _ zones: any ZoneSource
  ) -> (length: EventLength, flaw: CalendarFileFlaw?) {
    do throws(CalendarFileFlaw) {
      if let end { return try length(from: start, to: FileTime(end, zones), at: end.line) }
      guard let duration else { return (.shortest, nil) }
      guard let length = EventLength(duration.bytes) else {
        throw CalendarFileFlaw(
          duration.line, "'\(CalendarFile.shown(duration.text))' is no duration",
          hint: "write P1D or PT1H30M")
      }
      return (length, nil)
    } catch {
      return (.shortest, error)
    }
  }

  private func length(
    from start: FileTime, to end: FileTime, at line: Int
  ) throws(CalendarFileFlaw) -> (length: EventLength, flaw: CalendarFileFlaw?) {
    var length = EventLength()
    if let first = start.instant, let last = end.instant {
      length.seconds = last - first
    } else if start.isDate {
      // The day in which it ends counts.
      length.days = (end.local + 86_399).flooredQuotient(by: 86_400) - start.local / 86_400
    } else {
      length.seconds = end.local - start.local
      length.isByClock = true
    }
    guard length.days >= 0, length.seconds >= 0 else {
      throw CalendarFileFlaw(line, "DTEND is before DTSTART")
    }
    let isAlike = end.isDate == start.isDate && (end.zone == nil) == (start.zone == nil)
    return (
      length,
      isAlike ? nil : CalendarFileFlaw(line, "DTEND and DTSTART have different forms")
    )
  }
}

/// The length of an event: days by the clock first, then seconds.
struct EventLength: Hashable, Sendable {
  var days: Int64 = 0
  var seconds: Int64 = 0
  /// True if its seconds are those of the clock, too, as for an end without a zone. Events that
  /// recur last equally long.
  var isByClock = false

  /// That of an event without an end: its day, or its second.
  static let shortest = EventLength()

  init() {}

  /// `P1W`, `P1DT2H`, `PT30M`; nil for what is none, is negative, or longer than 100 years.
  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    if rest.first == UInt8(ascii: "+") { rest.removeFirst() }
    guard rest.popFirst().map({ $0 | 0x20 == UInt8(ascii: "p") }) == true, !rest.isEmpty else {
      return nil
    }
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
      switch (rest.popFirst().map { $0 | 0x20 }, isTime) {
      case (UInt8(ascii: "w"), false): days += number * 7
      case (UInt8(ascii: "d"), false): days += number
      case (UInt8(ascii: "h"), true): seconds += number * 3600
      case (UInt8(ascii: "m"), true): seconds += number * 60
      case (UInt8(ascii: "s"), true): seconds += number
      default: return nil
      }
      guard days <= Self.daysMax, total <= Self.daysMax * 86_400 else { return nil }
    }
  }

  private static let daysMax: Int64 = 36_600

  /// In seconds where no clock changes.
  var total: Int64 { days * 86_400 + seconds }

  /// In whole days, at least one.
  var wholeDays: Int64 { max(1, (total + 86_399) / 86_400) }

  /// The same length for other times of the event, which last as long as the first.
  var exact: EventLength {
    var length = self
    length.isByClock = false
    return length
  }

  /// The instants of an event that starts at a local time.
  func instants(from local: Int64, in zone: Zone) -> Range<Int64> {
    let start = zone.instant(ofDateTime: local)
    let clock = isByClock ? total : days * 86_400
    let end = clock == 0 ? start : zone.instant(ofDateTime: local + clock)
    return start..<max(start + 1, end + total - clock)
  }
}

extension FileEvent.Value {
  /// A time of RDATE, which may be a period: its start, and its length if it has one.
  func period(
    _ zones: any ZoneSource
  ) throws(CalendarFileFlaw) -> (start: FileTime, length: EventLength?) {
    guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else {
      return (try FileTime(self, zones), nil)
    }
    let time = try FileTime(start, zones)
    var rest = self
    rest.bytes = bytes[(slash + 1)...]
    if let length = EventLength(rest.bytes) { return (time, length) }
    let end = try FileTime(rest, zones)
    guard let first = time.instant ?? (end.instant == nil ? time.local : nil),
      let last = end.instant ?? (time.instant == nil ? end.local : nil), last >= first
    else { throw CalendarFileFlaw(line, "'\(CalendarFile.shown(text))' is no period") }
    var length = EventLength()
    length.seconds = last - first
    length.isByClock = time.instant == nil
    return (time, length)
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
      // Some programs write the year 9999 for no end.
      if let year = Int(value.prefix(4)), year > RecurrenceTime.years.upperBound { return "" }
      if start.isDate { return "UNTIL=" + value.prefix(8) }
      return value.utf8.count == 8
        ? "UNTIL=\(value)T235959" + (start.isUTC ? "Z" : "") : String(part)
    }
    return parts.filter { !$0.isEmpty }.joined(separator: ";")
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
        "'\(CalendarFile.shown(value.text))' in \(value.name) is no date "
          + RecurrenceTime.yearWords,
        hint: "write 20261224, or 20261224T180000 with a time of day")
    }
    (local, isDate, isUTC) = (time.local, time.isDate, time.isUTC)
    if isUTC {
      zone = .utc
    } else if !isDate, let name = value.parameters["TZID"] {
      guard let found = zones.zone(ofIdentifier: name) else {
        throw CalendarFileFlaw(
          value.line, "there is no time zone '\(CalendarFile.shown(name))'",
          hint: zones.missingFilesHint
            ?? "takt reads the names of the IANA, such as Europe/Berlin; VTIMEZONE does not count")
      }
      zone = found
    } else {
      zone = nil
    }
  }

  private init(local: Int64, isDate: Bool, isUTC: Bool, zone: Zone?) {
    (self.local, self.isDate, self.isUTC, self.zone) = (local, isDate, isUTC, zone)
  }

  /// This time of day on the day of another time.
  func onDay(of other: FileTime) -> FileTime {
    let day = other.local - other.local.flooredRemainder(by: 86_400)
    return FileTime(
      local: day + local.flooredRemainder(by: 86_400), isDate: isDate, isUTC: isUTC, zone: zone)
  }

  /// In seconds since the epoch; nil for a date, and for a time without a zone.
  var instant: Int64? {
    guard let zone, !isDate else { return nil }
    return zone.instant(ofDateTime: local)
  }

  /// In seconds since the epoch, or by the clock if it has no zone: distinguishes times of one
  /// form.
  var seconds: Int64 { instant ?? local }

  /// `20261224`, `20261224T180000`
  var text: String {
    let text = RecurrenceTime.text(local)
    return isDate ? String(text.prefix(8)) : text + (isUTC ? "Z" : "")
  }

  /// Another time of the event, such as an exception, in the form of this one.
  func time(
    of value: FileEvent.Value, _ zones: any ZoneSource
  ) throws(CalendarFileFlaw) -> FileTime {
    let other = try FileTime(value, zones)
    if isDate || other.isDate { return onDay(of: other) }
    // Without a zone it is by the clock of the event.
    if other.zone == nil {
      return FileTime(local: other.local, isDate: false, isUTC: isUTC, zone: zone)
    }
    if zone == nil {
      throw CalendarFileFlaw(value.line, "\(value.name) and DTSTART have different forms")
    }
    return other
  }

  /// Other times in the form of this one, as a recurrence that starts with it has them.
  func times(_ others: [FileTime]) -> RecurrenceTimes {
    RecurrenceTimes(
      local: others.filter { $0.zone == zone }.map(\.local),
      instants: others.filter { $0.zone != zone }.map(\.seconds), in: zone)
  }
}
