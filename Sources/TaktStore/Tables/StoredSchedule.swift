import FoundationEssentials
import TaktCore
import TaktTime

/// A schedule as the ledger holds it: JSON whose keys never change their meaning.
struct StoredSchedule: Codable {
  /// A rule of the clock: its kind, its text in normal form, and its settings.
  struct Rule: Codable {
    var cron: String?
    var calendar: String?
    var rrule: String?
    var grid: String?
    var days: String?
    /// The filters of its days: every n-th of them, and the working day of the month.
    var nth: String?
    var working: Int?
    /// The calendars whose days are not working days.
    var holidays: [Int]?
    /// True if its times move away from days that are left out.
    var moved: Bool?
    var zone: String
    var gap: String
    var overlap: String
  }

  var every: Int64?
  var from: String?
  var first: Int64?
  var rules: [Rule]?
  var at: [Int64]?
  var on: [String]?
  var phase: String?
  var after: [Parent]?
  var afterAll: AllOf?
  var watch: [Watch]?
  var notBefore: Int64?
  var until: Int64?
  var limit: Int?
  var except: [Except]?
  var calendars: [StoredCalendar]?
  var delays: [Delay]?
  var excluded: StoredCalendarRules?

  /// The delay after an event, in milliseconds.
  struct Delay: Codable {
    var after: Int64
    var on: String
  }

  /// A job, and an outcome of its runs.
  struct Parent: Codable {
    var job: String
    var on: String
  }

  /// Jobs whose runs count together, and their greatest distance in milliseconds.
  struct AllOf: Codable {
    var jobs: [Parent]
    var within: Int64?
  }

  /// A path, and its settling time in milliseconds.
  struct Watch: Codable {
    var path: String
    var debounce: Int64
    var patterns: [String]?
    var recursive: Bool?

    init(_ watch: PathWatch) {
      path = watch.path
      debounce = watch.debounce.milliseconds
      patterns = watch.patterns.isEmpty ? nil : watch.patterns.map(\.text)
      recursive = watch.isRecursive ? true : nil
    }

    var watch: PathWatch {
      PathWatch(
        path: path, debounce: .milliseconds(debounce),
        patterns: (patterns ?? []).compactMap { try? PathPattern($0) },
        isRecursive: recursive ?? false)
    }
  }

  /// A calendar expression, its zone, and true if it names whole days.
  struct Except: Codable {
    var calendar: String
    var days: Bool
    var zone: String
  }

  init(_ schedule: Schedule) {
    every = schedule.every.map { $0.interval.milliseconds }
    from = schedule.every?.origin.rawValue
    first = schedule.every?.first?.milliseconds
    var calendars = StoredCalendars()
    rules =
      schedule.rules.isEmpty
      ? nil
      : schedule.rules.map { rule in
        var stored = Rule(rule)
        if let filter = rule.expression.filter {
          stored.holidays = filter.holidays.map { calendars.places(of: $0.value.calendars) }
          stored.moved = filter.move.map { _ in true }
        }
        return stored
      }
    at = schedule.at.isEmpty ? nil : schedule.at.map(\.milliseconds)
    on = schedule.on.isEmpty ? nil : schedule.on.map(\.rawValue).sorted()
    let delays = schedule.delays
    self.delays =
      delays.isEmpty
      ? nil
      : delays.sorted { $0.key < $1.key }.map {
        Delay(after: $0.value.milliseconds, on: $0.key.rawValue)
      }
    phase = schedule.every?.phase == .restart ? Every.Phase.restart.rawValue : nil
    after =
      schedule.after.isEmpty
      ? nil
      : schedule.after.sorted().map { Parent(job: $0.job.text, on: $0.condition.rawValue) }
    afterAll = schedule.afterAll.map { all in
      AllOf(
        jobs: all.parents.map { Parent(job: $0.job.text, on: $0.condition.rawValue) },
        within: all.within?.milliseconds)
    }
    watch =
      schedule.watch.isEmpty
      ? nil
      : schedule.watch.sorted().map(Watch.init)
    notBefore = schedule.notBefore?.milliseconds
    until = schedule.until?.milliseconds
    limit = schedule.limit
    except =
      schedule.exclusions.isEmpty
      ? nil
      : schedule.exclusions.map(Except.init)
    excluded = schedule.calendars.map { StoredCalendarRules($0, &calendars) }
    self.calendars = calendars.all.isEmpty ? nil : calendars.all.map(StoredCalendar.init)
  }

  /// Nil if a rule cannot be read, or its zone no longer exists.
  func schedule(_ zones: any ZoneSource) -> Schedule? {
    var read: [ClockRule] = []
    var exclusions: [Exclusion] = []
    for exception in except ?? [] {
      guard let exclusion = exception.exclusion(zones) else { return nil }
      exclusions.append(exclusion)
    }
    let calendars = (calendars ?? []).compactMap { $0.calendar(zones) }
    guard calendars.count == self.calendars?.count ?? 0 else { return nil }
    let shared = StoredCalendars(calendars)
    let calendarRules = excluded.map { $0.rules(shared, zones) }
    if case .some(.none) = calendarRules { return nil }
    let move = calendarRules??.move(beside: exclusions).map { Shared($0) }
    for rule in rules ?? [] {
      guard let clock = rule.clockRule(zones, shared, move) else { return nil }
      read.append(clock)
    }
    var schedule = Schedule(
      every: every.map {
        Every(
          .milliseconds($0), from: from.flatMap(Every.Origin.init) ?? .start,
          first: first.map { .milliseconds($0) })
      },
      rules: read, at: (at ?? []).map { WallInstant(milliseconds: $0) },
      on: Set((on ?? []).compactMap(LifecycleEvent.init)))
    schedule.every?.phase = phase.flatMap(Every.Phase.init) ?? .keep
    schedule.after = Set((after ?? []).compactMap(\.following))
    schedule.afterAll = afterAll.map { all in
      AfterAll(all.jobs.compactMap(\.following), within: all.within.map { .milliseconds($0) })
    }
    schedule.watch = Set((watch ?? []).map(\.watch))
    schedule.notBefore = notBefore.map { WallInstant(milliseconds: $0) }
    schedule.until = until.map { WallInstant(milliseconds: $0) }
    schedule.limit = limit
    if !exclusions.isEmpty { schedule.exclusions = exclusions }
    for delay in delays ?? [] {
      guard let event = LifecycleEvent(rawValue: delay.on) else { continue }
      schedule.delays[event] = .milliseconds(delay.after)
    }
    if let calendarRules { schedule.calendars = calendarRules }
    return schedule
  }

  static func text(_ schedule: Schedule) -> String {
    String(decoding: ScheduleText(StoredSchedule(schedule)).bytes, as: UTF8.self)
  }

  /// Nil if it cannot be read.
  static func schedule(_ text: String, _ zones: any ZoneSource) -> Schedule? {
    let stored = try? JSONDecoder().decode(StoredSchedule.self, from: Data(text.utf8))
    return stored?.schedule(zones)
  }
}

extension StoredSchedule.Parent {
  var following: Following? {
    guard let job = JobName(job), let condition = Following.Condition(rawValue: on) else {
      return nil
    }
    return Following(job, on: condition)
  }
}

extension StoredSchedule.Except {
  init(_ exclusion: Exclusion) {
    self.init(
      calendar: exclusion.expression.normalized, days: exclusion.isWholeDays,
      zone: exclusion.zone.name)
  }

  func exclusion(_ zones: any ZoneSource) -> Exclusion? {
    guard let zone = zones.zone(named: zone), let expression = try? CalendarExpression(calendar)
    else { return nil }
    return Exclusion(expression, isWholeDays: days, zone: zone)
  }
}

extension StoredSchedule.Rule {
  init(_ rule: ClockRule) {
    zone = rule.zone.name
    gap = rule.dst.gap.rawValue
    overlap = rule.dst.overlap.rawValue
    nth = rule.expression.filter?.nthText
    working = rule.expression.filter?.workingDay
    switch rule.expression.unfiltered {
    case .cron(_, let days):
      cron = rule.text
      self.days = days.rawValue
    case .calendar: calendar = rule.text
    case .recurrence: rrule = rule.text
    case .grid(let grid): self.grid = grid.value.text
    // Nothing is filtered twice.
    case .filtered: break
    }
  }

  func clockRule(
    _ zones: any ZoneSource, _ calendars: StoredCalendars, _ move: Shared<DayMove>?
  ) -> ClockRule? {
    guard let zone = zones.zone(named: zone),
      var filter = DayFilter(nthText: nth, workingDay: working), let expression
    else { return nil }
    if let holidays {
      guard let found = calendars.calendars(at: holidays) else { return nil }
      filter.holidays = Shared(DaySet(found))
    }
    if moved == true {
      guard let move else { return nil }
      filter.move = move
    }
    let dst = DSTPolicy(
      gap: DSTPolicy.Gap(rawValue: gap) ?? .runAfter,
      overlap: DSTPolicy.Overlap(rawValue: overlap) ?? .first)
    return ClockRule(expression.filtered(on: filter), zone: zone, dst: dst)
  }

  /// Without the filters of its days; nil if it cannot be read.
  private var expression: ClockRule.Expression? {
    if let cron {
      let days = days.flatMap(CronDayRule.init) ?? .any
      return (try? CronExpression(cron)).map { .cron($0, days: days) }
    }
    if let calendar { return (try? CalendarExpression(calendar)).map { .calendar($0) } }
    if let grid { return LocalGrid(text: grid).map { .grid(Shared($0)) } }
    return rrule.flatMap { Recurrence(stored: $0) }.map { .recurrence(Shared($0)) }
  }
}
