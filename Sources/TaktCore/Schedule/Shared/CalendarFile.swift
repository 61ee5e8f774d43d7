package import TaktTime

/// A calendar file (iCalendar, RFC 5545) as far as it says when its events are: what they are about is
/// passed over.
package struct CalendarFile {
  /// Something that is wrong with it.
  package struct Problem: Hashable, Sendable {
    /// From 1.
    package var line: Int
    package var message: String
    package var hint: String?
  }

  package private(set) var content = SharedCalendar.Content()
  package private(set) var problems: [Problem] = []
  /// How many events it has.
  package private(set) var eventCount = 0

  private var days: [Range<Int64>] = []
  private var localTimes: [Range<Int64>] = []
  private var times: [Range<Int64>] = []
  private var events: [FileEvent] = []
  private var exceptionCount = 0
  private let zones: any ZoneSource

  /// More are counted with the last one.
  private static let problemsMax = 20
  /// How many events may recur: each is asked for each slot.
  package static let recurringMax = 1000
  /// How many times may be left out of all events together.
  private static let exceptionsMax = 1_000_000

  /// Reads a whole file; what is wrong is in `problems`.
  package init(_ bytes: [UInt8], zones: any ZoneSource) {
    self.zones = zones
    read(bytes)
    settle()
    content.days = NumberRanges(days)
    content.localTimes = NumberRanges(localTimes)
    content.times = NumberRanges(times)
  }

  private mutating func report(_ line: Int, _ message: String, hint: String? = nil) {
    guard problems.count <= Self.problemsMax else { return }
    problems.append(
      problems.count == Self.problemsMax
        ? Problem(line: line, message: "there are more problems", hint: "fix the others first")
        : Problem(line: line, message: message, hint: hint))
  }

  // MARK: Components

  private mutating func read(_ bytes: [UInt8]) {
    var lines = CalendarFileLines(bytes)
    var components: [String] = []
    var event: FileEvent?
    while let line = lines.next() {
      guard let property = CalendarFileProperty(line.bytes) else {
        if line.bytes.isEmpty { continue }
        if components.isEmpty {
          report(line.number, "this is no calendar file", hint: "it starts with BEGIN:VCALENDAR")
          return
        }
        report(line.number, "a line without a ':'")
        continue
      }
      let value = property.text.uppercased()
      switch property.name {
      case "BEGIN":
        guard components.count < 16 else { return report(line.number, "nested too deep") }
        components.append(value)
        if components == ["VCALENDAR", "VEVENT"] { event = FileEvent(line: line.number) }
      case "END":
        guard components.last == value else {
          return report(
            line.number, "END:\(Self.shown(property.text)) ends nothing that is open",
            hint: components.last.map { "END:\($0) is expected" })
        }
        components.removeLast()
        if components == ["VCALENDAR"], value == "VEVENT", let whole = event {
          eventCount += 1
          events.append(whole)
          event = nil
        }
      default:
        if components.isEmpty {
          return report(
            line.number, "this is no calendar file", hint: "it starts with BEGIN:VCALENDAR")
        }
        if components == ["VCALENDAR", "VEVENT"] { event?.add(property, at: line.number) }
      }
    }
    if let open = components.last {
      report(
        lines.number, "the file ends inside \(Self.shown(open))",
        hint: "it may have been written in part only")
    } else if lines.isBlank {
      report(1, "the file is empty", hint: "it starts with BEGIN:VCALENDAR")
    }
  }

  static func shown(_ text: String) -> String {
    String(text.unicodeScalars.prefix(60)).printable
  }

  // MARK: Events

  /// Makes ranges and recurrences of all events.
  private mutating func settle() {
    // What stands for one time of an event that recurs takes its place.
    var replaced: [[UInt8]: [FileEvent.Value]] = [:]
    for event in events {
      guard let uid = event.uid, let instance = event.recurrenceID else { continue }
      if instance.parameters["RANGE"] != nil {
        report(
          instance.line, "takt does not read RECURRENCE-ID with RANGE=THISANDFUTURE",
          hint: "end the event before it, and write the rest as another event")
      }
      replaced[uid, default: []].append(instance)
    }
    for event in events where !event.isCancelled {
      do throws(CalendarFileFlaw) {
        try add(
          event,
          without: event.recurrenceID == nil ? event.uid.flatMap { replaced[$0] } ?? [] : [])
      } catch {
        report(error.line, error.message, hint: error.hint)
      }
    }
  }

  private mutating func add(
    _ event: FileEvent, without replaced: [FileEvent.Value]
  ) throws(CalendarFileFlaw) {
    guard let first = event.start else {
      throw CalendarFileFlaw(event.line, "the event has no DTSTART")
    }
    if let rule = event.exceptionRule {
      throw CalendarFileFlaw(rule, "takt does not read EXRULE", hint: "write EXDATE")
    }
    let start = try FileTime(first, zones)
    let length = try event.length(from: start, zones)
    var exceptions: [Int64] = []
    for value in event.exceptions + replaced {
      for item in value.items {
        exceptions.append(try start.local(of: item, zones))
        try countException(of: event, exceptions.count, at: value.line)
      }
    }
    let left = Set(exceptions)
    for rule in event.rules {
      try add(rule, start, length, exceptions)
    }
    if event.rules.isEmpty, !left.contains(start.local) { add(start, length) }
    for value in event.dates {
      for item in value.items {
        let (date, own) = try item.period(zones)
        guard date.isDate == start.isDate else {
          throw CalendarFileFlaw(value.line, "RDATE and DTSTART have different forms")
        }
        if let local = try? start.local(of: item.start, zones), left.contains(local) { continue }
        add(date, own ?? length)
      }
    }
  }

  /// Counts what is left out of an event: each of its rules keeps all of it, and events of one UID
  /// share it.
  private mutating func countException(
    of event: FileEvent, _ count: Int, at line: Int
  ) throws(CalendarFileFlaw) {
    exceptionCount += 1
    guard count <= Recurrence.datesMax else {
      throw CalendarFileFlaw(
        line, "more than \(Recurrence.datesMax) times are left out of the event")
    }
    guard exceptionCount <= Self.exceptionsMax else {
      throw CalendarFileFlaw(
        line, "more than \(Self.exceptionsMax) times are left out of the events of the file",
        hint: "give each event a UID of its own")
    }
  }

  private mutating func add(
    _ rule: FileEvent.Value, _ start: FileTime, _ length: Int64, _ exceptions: [Int64]
  ) throws(CalendarFileFlaw) {
    guard content.events.count < Self.recurringMax else {
      throw CalendarFileFlaw(rule.line, "more than \(Self.recurringMax) events recur")
    }
    guard CalendarEvent.lengths(isWholeDays: start.isDate).contains(length) else {
      throw CalendarFileFlaw(rule.line, "an event that recurs lasts longer than a year")
    }
    do throws(RecurrenceProblem) {
      let text = "DTSTART:\(start.text) RRULE:\(rule.rule(like: start))"
      let read = try Recurrence.read(text).recurrence
      content.events.append(
        CalendarEvent(
          Recurrence(start: read.start, rule: read.rule, exceptions: exceptions),
          length: length, isWholeDays: start.isDate, zone: start.zone))
    } catch {
      throw CalendarFileFlaw(rule.line, "RRULE: \(error.sentence)", hint: error.hint)
    }
  }

  private mutating func add(_ start: FileTime, _ length: Int64) {
    if start.isDate {
      let day = start.local / 86_400
      // Before 1970 and after the last year there is nothing to leave out.
      let (first, end) = (max(0, day), min(day + length, DaySet.last + 1))
      if first < end { days.append(first..<end) }
    } else if let instant = start.instant {
      times.append(instant..<(instant + length))
    } else {
      localTimes.append(start.local..<(start.local + length))
    }
  }
}

/// Why an event cannot be read.
struct CalendarFileFlaw: Error {
  var line: Int
  var message: String
  var hint: String?

  init(_ line: Int, _ message: String, hint: String? = nil) {
    self.line = line
    self.message = message
    self.hint = hint
  }
}

// MARK: - Lines

/// The content lines of a calendar file, unfolded. A line ends with CR and LF, or with either.
private struct CalendarFileLines {
  private let bytes: [UInt8]
  private var position = 0
  /// That of the line that was read last.
  private(set) var number = 0
  private(set) var isBlank = true

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
  }

  mutating func next() -> (bytes: [UInt8], number: Int)? {
    guard let first = physicalLine() else { return nil }
    let start = number
    var line = Array(first)
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09,
      let more = physicalLine()
    {
      line += more.dropFirst()
    }
    if !line.isEmpty { isBlank = false }
    return (line, start)
  }

  private mutating func physicalLine() -> ArraySlice<UInt8>? {
    guard position < bytes.count else { return nil }
    let start = position
    while position < bytes.count, bytes[position] != 0x0a, bytes[position] != 0x0d { position += 1 }
    let line = bytes[start..<position]
    if position < bytes.count {
      let isReturn = bytes[position] == 0x0d
      position += 1
      if isReturn, position < bytes.count, bytes[position] == 0x0a { position += 1 }
    }
    number += 1
    return line
  }
}

/// A content line: its name and its parameters in capitals, and its value.
struct CalendarFileProperty {
  let name: String
  let parameters: [String: String]
  let value: ArraySlice<UInt8>

  var text: String { String(decoding: value.prefix(200), as: UTF8.self) }

  /// Nil for a line without a colon, and without a name.
  init?(_ line: [UInt8]) {
    var place = 0
    func end(_ stops: [UInt8]) -> Int {
      var isQuoted = false
      var index = place
      while index < line.count {
        if line[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
        if !isQuoted, stops.contains(line[index]) { break }
        index += 1
      }
      return index
    }
    let (semicolon, colon) = (UInt8(ascii: ";"), UInt8(ascii: ":"))
    let nameEnd = end([semicolon, colon])
    guard nameEnd > 0, nameEnd <= 100, nameEnd < line.count else { return nil }
    name = String(decoding: line[..<nameEnd], as: UTF8.self).uppercased()
    place = nameEnd
    var parameters: [String: String] = [:]
    while place < line.count, line[place] == semicolon {
      place += 1
      let start = place
      let stop = end([semicolon, colon])
      let parameter = line[start..<stop]
      if let equals = parameter.firstIndex(of: UInt8(ascii: "=")), parameter.count <= 1000 {
        let key = String(decoding: parameter[..<equals], as: UTF8.self).uppercased()
        let value = String(decoding: parameter[(equals + 1)...], as: UTF8.self)
        parameters[key] = value.filter { $0 != "\"" }
      }
      place = stop
    }
    guard place < line.count else { return nil }
    self.parameters = parameters
    value = line[(place + 1)...]
  }
}
