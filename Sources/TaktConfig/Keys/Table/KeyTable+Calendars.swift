import TaktCore
import TaktTime

extension KeyTable {
  package static let calendar: KeyRows = [
    KeyEntry(
      Key.dates, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Whole days: `2026-12-25`, or all from one to another: `2026-12-24..2027-01-02`."),
    KeyEntry(
      Key.file, .oneOrMore(.path), reload: .rearms,
      "Calendar files (iCalendar, RFC 5545): the days and times of their events."),
    KeyEntry(
      Key.expressions, .oneOrMore(.text(allowsEmpty: false)), reload: .rearms,
      "Whole days and times in the grammar of `except`: `*-12-25`, `Mon 12..13:*:*`."),
  ]

  package static let workingDay: KeyRows = [
    KeyEntry(
      Key.day, .oneOf([.choice(["first", "last"]), .integer(-23...23)]), reload: .rearms,
      "Required. Which working day: `first`, `last`, the third (`3`) or the second-to-last (`-2`)."),
    KeyEntry(
      JobKey.except.name, .oneOrMore(.name), reload: .rearms,
      "Calendars whose whole days are no working days."),
  ]
}

extension KeyTable {
  package static let on = KeyRows(
    [
      (LifecycleEvent.start, "How long after takt has started."),
      (.boot, "How long after takt has started for the first time since the machine booted."),
      (.reload, "How long after a reload has added or changed the job."),
    ].map { event, summary in
      KeyEntry(
        event.rawValue, .duration(least: .zero, most: .seconds(366 * 86_400)), reload: .rearms,
        summary)
    })
}

/// A job's use of calendars, before its zone is known.
struct CalendarChoice: Hashable, Sendable {
  var except: [SharedCalendar] = []
  var onlyOn: [SharedCalendar] = []
  var onlyOnTimes: [SharedCalendar.Expression] = []
  var direction: DayMove.Direction?

  var isEmpty: Bool {
    except.isEmpty && onlyOn.isEmpty && onlyOnTimes.isEmpty && direction == nil
  }
}

extension JobDefaults {
  mutating func choose(_ body: (inout CalendarChoice) -> Void) {
    var choice = calendars?.value ?? CalendarChoice()
    body(&choice)
    if choice.isEmpty {
      calendars = nil
    } else if choice != calendars?.value {
      calendars = Shared(choice)
    }
  }
}

extension ExecutionBuilder {
  func setExceptions(_ value: KeyValue, _ settled: inout JobDefaults) {
    let (named, times) = namedTimes(value)
    settled.exceptions = times.map { ($0.expression, $0.isWholeDays, $0.zone) }
    if !named.isEmpty || settled.calendars != nil { settled.choose { $0.except = named } }
  }

  func setOnlyOn(_ value: KeyValue, _ settled: inout JobDefaults) {
    let (named, times) = namedTimes(value)
    settled.choose { ($0.onlyOn, $0.onlyOnTimes) = (named, times) }
  }

  func setLateTimes(_ value: KeyValue, _ settled: inout JobDefaults) {
    var choice = CalendarChoice()
    (choice.onlyOn, choice.onlyOnTimes) = namedTimes(value)
    settled.lateTimes = choice.isEmpty ? nil : Shared(choice)
  }

  /// Splits the items into names of calendars and expressions.
  private func namedTimes(
    _ value: KeyValue
  ) -> (calendars: [SharedCalendar], times: [SharedCalendar.Expression]) {
    var calendars: [SharedCalendar] = []
    var times: [SharedCalendar.Expression] = []
    for item in value.list ?? [] {
      guard let text = item.value.text else { continue }
      if let calendar = file.calendars[text] {
        if !calendars.contains(calendar) { calendars.append(calendar) }
      } else if file.looksLikeCalendar(text) {
        reporter.reportNoCalendar(text, at: item.mark, among: file.calendars, owner: owner)
      } else if let expression = reporter.timesExpression(
        text, at: item.mark, zones: sources.zones, owner: owner)
      {
        times.append(expression)
      }
    }
    return (calendars, times)
  }
}

extension FileContext {
  /// True if a text was meant as the name of a calendar: a word that is no expression.
  fileprivate func looksLikeCalendar(_ text: String) -> Bool {
    guard !calendars.isEmpty, JobName(text) != nil,
      text.utf8.first.map({ $0 | 0x20 >= 0x61 }) == true
    else {
      return false
    }
    return (try? CalendarExpression(text)) == nil
  }
}

extension Reporter {
  func reportNoCalendar(
    _ name: String, at mark: YAMLMark, among calendars: [String: SharedCalendar],
    owner: KeyOwner
  ) {
    let nearest = NearestName.of(name, among: calendars.keys.sorted())
    report(
      .badValue, at: mark, "there is no calendar '\(name.shortened)'",
      hint: nearest.map { "did you mean '\($0)'?" }
        ?? "name it under '\(Key.calendars)', or write an expression such as Sat,Sun",
      owner: owner)
  }

  /// Parses whole days or times, in the grammar of `calendar`; nil for a mistake, which is
  /// reported.
  func timesExpression(
    _ text: String, at mark: YAMLMark, zones: ZoneTable, owner: KeyOwner
  ) -> SharedCalendar.Expression? {
    do throws(CalendarProblem) {
      let expression = try CalendarExpression(text)
      var zone: Zone?
      for name in expression.zoneNames(writtenIn: text) {
        zone = zones.zone(named: name, at: mark, self)
        if zone == nil { return nil }
      }
      return SharedCalendar.Expression(
        expression, isWholeDays: Exclusion.namesWholeDays(text, expression), zone: zone)
    } catch {
      report(error.sentence, error.hint, in: text, at: error.offset, mark, owner: owner)
      return nil
    }
  }
}
