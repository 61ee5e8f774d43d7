import Foundation
import TaktCore
import Testing

@testable import TaktStore
import TaktTime

/// The text of a schedule in the ledger.
@Suite struct ScheduleTextTests {
  private func encoded(_ schedule: Schedule) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(StoredSchedule(schedule)), as: UTF8.self)
  }

  /// One of everything that a schedule can have, and two of what it can have more of.
  private func schedules() throws -> [Schedule] {
    let (backup, report) = (try #require(JobName("backup")), try #require(JobName("report.v2")))
    let cron = ClockRule(
      .cron(try CronExpression("30 2 * * Mon-Fri"), days: .all), zone: .utc,
      dst: DSTPolicy(gap: .skip, overlap: .both))
    let calendar = ClockRule(
      .calendar(try CalendarExpression("Mon..Fri 09:00/15")), zone: .utc, dst: DSTPolicy())
    var full = Schedule(
      every: Every(.seconds(90), from: .end, first: .seconds(-5)), rules: [cron, calendar],
      at: [WallInstant(milliseconds: -1), WallInstant(milliseconds: 1_790_000_000_000)],
      on: [.start, .reload, .boot])
    full.every?.phase = .restart
    full.after = [Following(backup, on: .any), Following(report, on: .failure)]
    full.afterAll = AfterAll(
      [Following(report, on: .any), Following(backup)], within: .seconds(21_600))
    full.watch = [
      PathWatch(path: "in/box \"a\\b\"\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}ä→🕐", debounce: .seconds(2)),
      PathWatch(path: "", debounce: .zero),
      PathWatch(
        path: "", debounce: .zero, patterns: [try PathPattern("*.csv"), try PathPattern("**/ä?")],
        isRecursive: true),
    ]
    full.notBefore = WallInstant(milliseconds: 0)
    full.until = WallInstant(milliseconds: .max)
    full.limit = 3
    full.exclusions = [
      Exclusion(try CalendarExpression("*-12-24"), isWholeDays: true, zone: .utc),
      Exclusion(try CalendarExpression("Sat,Sun"), isWholeDays: false, zone: .utc),
    ]
    var gathered = Schedule()
    gathered.afterAll = AfterAll([Following(backup, on: .failure)])
    return [
      full, gathered, Schedule(), Schedule(every: Every(.seconds(1))), Schedule(rules: [cron]),
      Schedule(rules: [calendar]), Schedule(rules: try recent()),
      Schedule(at: [WallInstant(milliseconds: 5)]),
      Schedule(on: [.boot]), try delayed(), try calendars(),
    ]
  }

  /// Recurrences, and expressions on some days.
  private func recent() throws -> [ClockRule] {
    let recurrence = try Recurrence.read(
      "DTSTART:20260105T090000 RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR EXDATE:20260119T090000"
    ).recurrence
    let filter = try #require(DayFilter(nthText: "2 weeks 2026-01-05", workingDay: -1))
    let expressions: [ClockRule.Expression] = [
      .recurrence(Shared(recurrence)),
      .cron(try CronExpression("0 9 */2 * 1"), days: .cron).filtered(on: filter),
      .calendar(try CalendarExpression("09:00")).filtered(on: DayFilter(workingDay: 3)),
      .grid(Shared(LocalGrid(every: .seconds(5400), from: .seconds(28_800)))),
      .grid(Shared(LocalGrid(every: .seconds(86_400)))),
    ]
    return expressions.map { ClockRule($0, zone: .utc, dst: DSTPolicy()) }
  }

  private func delayed() throws -> Schedule {
    var schedule = Schedule(on: [.boot, .start])
    schedule.delays = [.boot: .seconds(300)]
    return schedule
  }

  /// All that a shared calendar can have, and all that can be made of it.
  private func calendars() throws -> Schedule {
    var content = SharedCalendar.Content()
    content.days = NumberRanges([20_446..<20_449, 20_800..<20_801])
    content.times = NumberRanges([1_790_000_000..<1_790_003_600])
    content.localTimes = NumberRanges([1_790_000_000..<1_790_003_600, 5..<6])
    content.events = [
      CalendarEvent(
        try Recurrence.read("DTSTART:20260101 RRULE:FREQ=YEARLY;UNTIL=20300101").recurrence,
        length: 2, isWholeDays: true, zone: nil),
      CalendarEvent(
        try Recurrence.read(
          "DTSTART:20260101T080000 RRULE:FREQ=DAILY;COUNT=9 EXDATE:20260102T080000"
        )
        .recurrence, length: 3600, isWholeDays: false, zone: .utc),
    ]
    content.expressions = [
      SharedCalendar.Expression(try CalendarExpression("Sat,Sun"), isWholeDays: true, zone: .utc),
      SharedCalendar.Expression(try CalendarExpression("*-12-25"), isWholeDays: true, zone: nil),
    ]
    let holidays = SharedCalendar("holidays", content)
    var rules = CalendarRules(in: .utc)
    rules.except = [holidays]
    rules.onlyOn = [SharedCalendar("empty", SharedCalendar.Content()), holidays]
    rules.onlyOnTimes = [
      Exclusion(try CalendarExpression("12..13:*:*"), isWholeDays: false, zone: .utc)
    ]
    rules.direction = .previous
    let exclusions = [
      Exclusion(try CalendarExpression("*-12-24"), isWholeDays: true, zone: .utc)
    ]
    var filter = DayFilter(workingDay: -1)
    filter.holidays = Shared(DaySet([holidays]))
    filter.move = Shared(try #require(rules.move(beside: exclusions)))
    var schedule = Schedule(rules: [
      ClockRule(
        .cron(try CronExpression("0 9 * * *"), days: .cron).filtered(on: filter), zone: .utc,
        dst: .cron)
    ])
    schedule.exclusions = exclusions
    schedule.calendars = rules
    return schedule
  }

  @Test func `calendars and delays are read back as equal schedules`() throws {
    for schedule in [try calendars(), try delayed()] {
      let text = StoredSchedule.text(schedule)
      #expect(StoredSchedule.schedule(text, TestZones()) == schedule, "\(text)")
    }
  }

  @Test(arguments: [
    #""days":"0 4503599627370495""#, #""days":"-1048577 1""#, #""times":"0 68719476737""#,
    #""local":"68719476736 1""#,
    #""events":[{"days":true,"length":367,"rrule":"RULE"}]"#,
    #""events":[{"days":false,"length":9223372036854775807,"rrule":"RULE"}]"#,
    #""events":[{"days":false,"length":0,"rrule":"RULE"}]"#,
  ])
  func `a calendar with impossible numbers is no schedule`(content: String) {
    let rule = "DTSTART:20260101T000000 RRULE:FREQ=DAILY"
    func schedule(_ content: String) -> Schedule? {
      let text =
        #"{"calendars":[{\#(content),"name":"x"}],"every":1000,"#
        + #""excluded":{"except":[0],"only":[],"times":[],"zone":"UTC"}}"#
      return StoredSchedule.schedule(text.replacing("RULE", with: rule), TestZones())
    }
    #expect(schedule(#""days":"0 1""#) != nil)
    #expect(schedule(#""events":[{"days":true,"length":366,"rrule":"RULE"}]"#) != nil)
    #expect(schedule(content) == nil)
  }

  @Test func `recurrences and filters are read back as equal schedules`() throws {
    let schedule = Schedule(rules: try recent())
    let text = StoredSchedule.text(schedule)
    #expect(StoredSchedule.schedule(text, TestZones()) == schedule, "\(text)")
  }

  @Test func `a rule that was stored without its days runs on days that match either field`() throws
  {
    let text =
      #"{"rules":[{"cron":"0 9 1,3,5 * MON","gap":"run_after","overlap":"first","zone":"UTC"}]}"#
    let rule = ClockRule(
      .cron(try CronExpression("0 9 1,3,5 * MON"), days: .any), zone: .utc, dst: .cron)
    #expect(StoredSchedule.schedule(text, TestZones()) == Schedule(rules: [rule]))
  }

  @Test func `the text of a schedule is what earlier versions wrote`() throws {
    for schedule in try schedules() {
      #expect(StoredSchedule.text(schedule) == (try encoded(schedule)))
    }
  }

  @Test func `the text of a schedule is read as a schedule of the same text`() throws {
    for schedule in try schedules() {
      let text = StoredSchedule.text(schedule)
      let read = try #require(StoredSchedule.schedule(text, TestZones()))
      #expect(StoredSchedule.text(read) == text)
      #expect(read.afterAll == schedule.afterAll)
    }
  }
}
