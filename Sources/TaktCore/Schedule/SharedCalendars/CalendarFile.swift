package import TaktTime

/// The times of the events in a calendar file (iCalendar, RFC 5545). Their contents are ignored.
package struct CalendarFile {
  package struct Problem: Hashable, Sendable {
    /// From 1.
    package var line: Int
    package var message: String
    package var hint: String?
    /// A warning if the rest of the file counts.
    package var severity = Diagnostic.Severity.error
  }

  package private(set) var content = SharedCalendar.Content()
  package private(set) var problems: [Problem] = []
  package private(set) var eventCount = 0

  private var days: [Range<Int64>] = []
  private var times: [Range<Int64>] = []
  private var events: [FileEvent] = []
  private var exceptionCount = 0
  private let zones: any ZoneSource

  /// Of each severity; more are counted with the last one.
  private static let problemsMax = 20
  /// The most recurring events: each is evaluated for each slot.
  package static let recurringMax = 1000
  /// The most times left out of all events together.
  private static let exceptionsMax = 1_000_000

  /// Reads a whole file, and gathers `problems`.
  package init(_ bytes: [UInt8], zones: any ZoneSource) {
    self.zones = zones
    read(bytes)
    settle()
    content.days = NumberRanges(days)
    content.times = NumberRanges(times)
  }

  private mutating func report(
    _ line: Int, _ message: String, hint: String? = nil, _ severity: Diagnostic.Severity = .error
  ) {
    let count = problems.count { $0.severity == severity }
    guard count <= Self.problemsMax else { return }
    var problem = Problem(line: line, message: message, hint: hint, severity: severity)
    if count == Self.problemsMax {
      problem.message = "there are more problems"
      problem.hint = "fix the others first"
    }
    problems.append(problem)
  }

  /// Warns of a part of an event that does not count.
  private mutating func warn(_ flaw: CalendarFileFlaw, of event: FileEvent, _ consequence: String) {
    report(
      flaw.line, "\(event.name) \(consequence): \(flaw.message)", hint: flaw.hint, .warning)
  }

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
        report(line.number, "a line without a ':' is ignored", .warning)
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

  /// Makes ranges and recurrences of all events.
  private mutating func settle() {
    let newest = self.newest(of: events)
    // What stands for one time of an event that recurs takes its place.
    var replaced: [[UInt8]: [FileEvent.Value]] = [:]
    for event in newest {
      guard let uid = event.uid, let instance = event.recurrenceID else { continue }
      if instance.parameters["RANGE"] != nil {
        warn(
          CalendarFileFlaw(
            instance.line, "takt does not read RECURRENCE-ID with RANGE=THISANDFUTURE",
            hint: "end the series before it, and write the rest as another event"),
          of: event, "changes one time of its series, not the later ones")
      }
      replaced[uid, default: []].append(instance)
    }
    for event in newest where !event.isCancelled {
      let isInstance = event.recurrenceID != nil
      do throws(CalendarFileFlaw) {
        try add(event, without: isInstance ? [] : event.uid.flatMap { replaced[$0] } ?? [])
      } catch {
        if error.isOfFile {
          report(error.line, error.message, hint: error.hint)
        } else {
          warn(error, of: event, "is left out")
        }
      }
    }
  }

  /// Of events with one UID, and one RECURRENCE-ID, those with the highest SEQUENCE. Of equal ones all
  /// count: many files give several events one UID.
  private func newest(of events: [FileEvent]) -> [FileEvent] {
    struct Key: Hashable {
      var uid: [UInt8]
      var instance: FileEvent.Instance
    }
    let keys = events.map { event in
      event.uid.map { Key(uid: $0, instance: event.instance(zones)) }
    }
    var highest: [Key: Int64] = [:]
    for (event, key) in zip(events, keys) {
      guard let key else { continue }
      highest[key] = max(event.sequence, highest[key] ?? .min)
    }
    let newest = zip(events, keys).filter { event, key in
      key.map { highest[$0] == event.sequence } ?? true
    }.map { $0.0 }
    // A series that is cancelled is so with what was changed in it.
    var cancelled: [[UInt8]: Int64] = [:]
    for event in newest where event.isCancelled && event.recurrenceID == nil {
      if let uid = event.uid { cancelled[uid] = event.sequence }
    }
    if cancelled.isEmpty { return newest }
    return newest.filter { event in
      guard event.recurrenceID != nil, let uid = event.uid, let last = cancelled[uid] else {
        return true
      }
      return event.sequence > last
    }
  }

  private mutating func add(
    _ event: FileEvent, without replaced: [FileEvent.Value]
  ) throws(CalendarFileFlaw) {
    guard let first = event.start else {
      throw CalendarFileFlaw(event.line, "it has no DTSTART")
    }
    let start = try FileTime(first, zones)
    let (length, flaw) = event.length(from: start, zones)
    if let flaw {
      warn(
        flaw, of: event,
        length == .shortest
          ? "counts for \(start.isDate ? "one day" : "its first second")"
          : "counts to the \(start.isDate ? "day" : "time") of its DTEND")
    }
    // It is one event, though many programs repeat the rule of its series.
    if event.recurrenceID != nil { return add(start, length) }
    if let line = event.exceptionRule {
      warn(
        CalendarFileFlaw(line, "takt does not read EXRULE", hint: "write EXDATE"), of: event,
        "counts at the times of EXRULE too")
    }
    let exceptions = try exceptions(of: event, start, replaced)
    let left = Set(exceptions.map(\.seconds))
    let times = start.times(exceptions)
    var isRecurring = false
    for rule in event.rules {
      do throws(CalendarFileFlaw) {
        try add(rule, start, length, times)
        isRecurring = true
      } catch {
        if error.isOfFile { throw error }
        warn(error, of: event, "counts without its RRULE")
      }
    }
    if !isRecurring, !left.contains(start.seconds) { add(start, length) }
    for item in event.dates.flatMap(\.items) {
      do throws(CalendarFileFlaw) {
        var (date, own) = try item.period(zones)
        if date.isDate != start.isDate {
          warn(
            CalendarFileFlaw(item.line, "RDATE and DTSTART have different forms"), of: event,
            "counts on the day of its RDATE")
          date = start.onDay(of: date)
        }
        let time = try? start.time(of: item.start, zones)
        if let time, left.contains(time.seconds) { continue }
        add(date, own ?? length.exact)
      } catch {
        warn(error, of: event, "counts without one RDATE")
      }
    }
  }

  /// The times left out of an event, in the form of its start.
  private mutating func exceptions(
    of event: FileEvent, _ start: FileTime, _ replaced: [FileEvent.Value]
  ) throws(CalendarFileFlaw) -> [FileTime] {
    var exceptions: [FileTime] = []
    for item in (event.exceptions + replaced).flatMap(\.items) {
      do throws(CalendarFileFlaw) {
        exceptions.append(try start.time(of: item, zones))
      } catch {
        warn(error, of: event, "counts also at one \(item.name)")
        continue
      }
      try countException(exceptions.count, at: item.line)
    }
    return exceptions
  }

  /// Counts the times left out of an event: each of its rules keeps all of them, and events of one
  /// UID share them.
  private mutating func countException(_ count: Int, at line: Int) throws(CalendarFileFlaw) {
    exceptionCount += 1
    guard count <= Recurrence.datesMax else {
      throw CalendarFileFlaw(
        line, "more than \(Recurrence.datesMax) times are left out of the event", isOfFile: true)
    }
    guard exceptionCount <= Self.exceptionsMax else {
      throw CalendarFileFlaw(
        line, "more than \(Self.exceptionsMax) times are left out of the events of the file",
        hint: "give each event a UID of its own", isOfFile: true)
    }
  }

  private mutating func add(
    _ rule: FileEvent.Value, _ start: FileTime, _ length: EventLength, _ exceptions: RecurrenceTimes
  ) throws(CalendarFileFlaw) {
    guard content.events.count < Self.recurringMax else {
      throw CalendarFileFlaw(
        rule.line, "more than \(Self.recurringMax) events recur", isOfFile: true)
    }
    let days = start.isDate ? 0 : length.days
    let rest = start.isDate ? length.wholeDays : days == 0 ? max(1, length.seconds) : length.seconds
    guard CalendarEvent.mayLast(rest, afterDays: days, isWholeDays: start.isDate) else {
      throw CalendarFileFlaw(rule.line, "an event that recurs lasts longer than a year")
    }
    do throws(RecurrenceProblem) {
      let text = "DTSTART:\(start.text) RRULE:\(rule.rule(like: start))"
      let read = try Recurrence.read(text).recurrence
      // A search for what never comes would be made for each slot.
      if read.first(from: read.start) != nil {
        content.events.append(
          CalendarEvent(
            Recurrence(start: read.start, rule: read.rule, exceptions: exceptions),
            length: rest, nominalDays: days, isWholeDays: start.isDate, zone: start.zone))
        return
      }
      // One that ends before it begins has no times, and nobody misses any.
      guard case .never? = read.rule?.end else { return }
    } catch {
      throw CalendarFileFlaw(rule.line, error.sentence, hint: error.hint)
    }
    throw CalendarFileFlaw(rule.line, "no date matches all parts of RRULE")
  }

  private mutating func add(_ start: FileTime, _ length: EventLength) {
    if start.isDate {
      let day = start.local.flooredQuotient(by: 86_400)
      // Before 1970 and after the last year there is nothing to leave out.
      let (first, end) = (max(0, day), min(day + length.wholeDays, DaySet.last + 1))
      if first < end { days.append(first..<end) }
    } else if let zone = start.zone {
      times.append(length.instants(from: start.local, in: zone))
    } else {
      content.floating.append(FloatingTime(local: start.local, length: length))
    }
  }
}

/// The reason why an event cannot be read.
struct CalendarFileFlaw: Error {
  var line: Int
  var message: String
  var hint: String?
  /// True if the file is refused because of it.
  var isOfFile: Bool

  init(_ line: Int, _ message: String, hint: String? = nil, isOfFile: Bool = false) {
    self.line = line
    self.message = message
    self.hint = hint
    self.isOfFile = isOfFile
  }
}
