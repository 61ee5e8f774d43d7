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
      Schedule(on: [.boot]),
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
