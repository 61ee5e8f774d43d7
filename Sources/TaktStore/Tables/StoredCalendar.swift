import TaktCore
import TaktTime

/// A shared calendar as the ledger holds it with each schedule that uses it, so that old slots are
/// explained by the days of their time.
struct StoredCalendar: Codable {
  /// A recurring event: in the normal form of a recurrence, with its length in days or seconds.
  struct Event: Codable {
    var days: Bool
    var length: Int64
    /// Days by the clock before the seconds of `length`.
    var nominal: Int64?
    var rrule: String
    var zone: String?
  }

  /// A calendar expression; without a zone it is read in that of the job.
  struct Expression: Codable {
    var calendar: String
    var days: Bool
    var zone: String?
  }

  var days: String?
  var events: [Event]?
  var expressions: [Expression]?
  /// Seconds of a local clock, and of the clock in UTC.
  var local: String?
  var name: String
  var times: String?

  init(_ calendar: SharedCalendar) {
    let content = calendar.content
    name = calendar.name
    days = content.days.isEmpty ? nil : content.days.text
    local = content.localTimes.isEmpty ? nil : content.localTimes.text
    times = content.times.isEmpty ? nil : content.times.text
    events =
      content.events.isEmpty
      ? nil
      : content.events.map {
        Event(
          days: $0.isWholeDays, length: $0.length,
          nominal: $0.nominalDays > 0 ? $0.nominalDays : nil, rrule: $0.recurrence.normalized,
          zone: $0.zone?.name)
      }
    expressions =
      content.expressions.isEmpty
      ? nil
      : content.expressions.map {
        Expression(
          calendar: $0.expression.normalized, days: $0.isWholeDays, zone: $0.zone?.name)
      }
  }

  /// Nil if it cannot be read.
  func calendar(_ zones: any ZoneSource) -> SharedCalendar? {
    var content = SharedCalendar.Content()
    func read(_ text: String?, _ ranges: inout NumberRanges, within bound: Int64) -> Bool {
      guard let text else { return true }
      guard let read = NumberRanges(text: text, within: bound) else { return false }
      ranges = read
      return true
    }
    guard read(days, &content.days, within: SharedCalendar.Content.daysMax),
      read(local, &content.localTimes, within: SharedCalendar.Content.secondsMax),
      read(times, &content.times, within: SharedCalendar.Content.secondsMax)
    else { return nil }
    for event in events ?? [] {
      let nominal = event.nominal ?? 0
      guard let recurrence = Recurrence(stored: event.rrule),
        CalendarEvent.mayLast(event.length, afterDays: nominal, isWholeDays: event.days),
        let zone = Self.zone(event.zone, zones)
      else { return nil }
      content.events.append(
        CalendarEvent(
          recurrence, length: event.length, nominalDays: nominal, isWholeDays: event.days,
          zone: zone.zone))
    }
    for expression in expressions ?? [] {
      guard let read = try? CalendarExpression(expression.calendar),
        let zone = Self.zone(expression.zone, zones)
      else { return nil }
      content.expressions.append(
        SharedCalendar.Expression(read, isWholeDays: expression.days, zone: zone.zone))
    }
    return SharedCalendar(name, content)
  }

  /// Nil for a zone that no longer exists.
  private static func zone(_ name: String?, _ zones: any ZoneSource) -> (zone: Zone?, Void)? {
    guard let name else { return (nil, ()) }
    return zones.zone(named: name).map { ($0, ()) }
  }
}

/// A schedule's use of its calendars, each by its place among them.
struct StoredCalendarRules: Codable {
  var except: [Int]
  var move: String?
  var only: [Int]
  var times: [StoredSchedule.Except]
  var zone: String
}

/// The calendars of a schedule, each once.
struct StoredCalendars {
  private(set) var all: [SharedCalendar] = []

  mutating func places(of calendars: [SharedCalendar]) -> [Int] {
    calendars.map { calendar in
      if let place = all.firstIndex(of: calendar) { return place }
      all.append(calendar)
      return all.count - 1
    }
  }

  init(_ all: [SharedCalendar] = []) { self.all = all }

  /// Nil if there is no such place.
  func calendars(at places: [Int]) -> [SharedCalendar]? {
    places.allSatisfy(all.indices.contains) ? places.map { all[$0] } : nil
  }
}

extension StoredCalendarRules {
  init(_ rules: CalendarRules, _ calendars: inout StoredCalendars) {
    except = calendars.places(of: rules.except)
    only = calendars.places(of: rules.onlyOn)
    times = rules.onlyOnTimes.map(StoredSchedule.Except.init)
    move = rules.direction?.rawValue
    zone = rules.zone.name
  }

  func rules(_ calendars: StoredCalendars, _ zones: any ZoneSource) -> CalendarRules? {
    guard let zone = zones.zone(named: zone), let except = calendars.calendars(at: except),
      let only = calendars.calendars(at: only)
    else { return nil }
    var rules = CalendarRules(in: zone)
    rules.except = except
    rules.onlyOn = only
    for time in times {
      guard let exclusion = time.exclusion(zones) else { return nil }
      rules.onlyOnTimes.append(exclusion)
    }
    rules.direction = move.flatMap(DayMove.Direction.init)
    return rules
  }
}

extension ScheduleText {
  mutating func add(_ calendar: StoredCalendar) {
    object {
      $0.member("days", calendar.days)
      $0.members("events", calendar.events) { text, event in
        text.object {
          $0.member("days", event.days)
          $0.member("length", event.length)
          $0.member("nominal", event.nominal)
          $0.member("rrule", event.rrule)
          $0.member("zone", event.zone)
        }
      }
      $0.members("expressions", calendar.expressions) { text, expression in
        text.object {
          $0.member("calendar", expression.calendar)
          $0.member("days", expression.days)
          $0.member("zone", expression.zone)
        }
      }
      $0.member("local", calendar.local)
      $0.member("name", calendar.name)
      $0.member("times", calendar.times)
    }
  }

  mutating func add(_ rules: StoredCalendarRules) {
    object {
      $0.members("except", rules.except) { $0.add(Int64($1)) }
      $0.member("move", rules.move)
      $0.members("only", rules.only) { $0.add(Int64($1)) }
      $0.members("times", rules.times) { $0.add($1) }
      $0.member("zone", rules.zone)
    }
  }
}
