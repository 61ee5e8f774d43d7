import Foundation
import TaktCore
import Testing

@testable import TaktConfig
import TaktTime

/// `cron` and `calendar` in a file.
@Suite struct ClockRulesTests {
  @Test(arguments: [
    "cron: '30 2 * *' | badSchedule | ", "cron: '61 * * * *' | badSchedule | at character 1 of",
    "cron: '0 0 * * MOM' | badSchedule | at character 9 of",
    "cron: '@reboot' | badSchedule | ", "cron: 'TZ=UTC 0 0 * * *' | badSchedule | ",
    "cron: '30 2 30 2 *' | neverRuns | '30 2 30 2 *' never occurs",
    "calendar: 'Mon..Fry 09:00' | badSchedule | ", "calendar: '25:00' | badSchedule | ",
    "calendar: '*-02-30' | neverRuns | never occurs",
    "calendar: 'daily Mars/Olympus' | unknownZone | there is no time zone 'Mars/Olympus'",
    "cron: '@daily', timezone: Europe/Berlen | unknownZone | ",
    "cron: '' | badValue | ",
    "rrule: 'FREQ=DAILY' | badSchedule | DTSTART is missing",
    "rrule: 'DTSTART:20260105T090000 FREQ=DAILY;BYHOUR=25' | badSchedule | BYHOUR does not take '25'",
    "rrule: 'DTSTART;TZID=Mars/Olympus:20260105T090000 FREQ=DAILY' | unknownZone | there is no time zone",
    "rrule: 'DTSTART;TZID=:20260105T090000 FREQ=DAILY' | unknownZone | there is no time zone ''",
    "rrule: 'DTSTART:20270105T090000 FREQ=DAILY EXDATE;TZID=Mars/X:20270106T090000' | unknownZone | there is no time zone 'Mars/X'",
    "rrule: 'DTSTART:20270105 FREQ=DAILY RDATE;TZID=Mars/X:20270106' | unknownZone | there is no time zone 'Mars/X'",
    "rrule: 'DTSTART:20270105T090000 FREQ=DAILY RDATE;TZID=:20270106T090000' | unknownZone | there is no time zone ''",
    "rrule: 'DTSTART:20260105T090000 FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' | neverRuns | never occurs",
    "rrule: 'DTSTART:20260105T090000 FREQ=DAILY;UNTIL=20260104T090000' | neverRuns | UNTIL is before DTSTART",
    "rrule: 'DTSTART:20260105T090000 FREQ=DAILY;UNTIL=20260105T075900Z', timezone: Europe/Berlin | neverRuns | UNTIL is before DTSTART",
    "rrule: 'DTSTART:19600101T090000 RRULE:FREQ=YEARLY;COUNT=2' | neverRuns | all its dates are before 1970",
    "rrule: 'DTSTART:20260101T090000 RRULE:FREQ=DAILY;COUNT=1 EXDATE:20260101T090000' | neverRuns | EXDATE leaves out all its dates",
    "rrule: 'DTSTART:20260329T023000 FREQ=DAILY;COUNT=1', timezone: Europe/Berlin, dst: {gap: skip} | neverRuns | clock changes skip all its times",
    "rrule: 'DTSTART:20260329T023000 FREQ=DAILY;COUNT=1 EXDATE:20260329T010000Z', timezone: Europe/Berlin | neverRuns | EXDATE leaves out all its dates",
    "rrule: 'DTSTART:19600101T090000 FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' | neverRuns | no date matches all of its parts",
    "rrule: 'DTSTART:20260105T000000 FREQ=SECONDLY;INTERVAL=2;BYSECOND=1,3,5,7,9' | neverRuns | INTERVAL passes over all times of its other parts",
    "rrule: 'DTSTART:20260105T000000 FREQ=MINUTELY;INTERVAL=4;BYMINUTE=1,2,3' | neverRuns | INTERVAL passes over all times of its other parts",
    "rrule: 'DTSTART:20260105T000000 FREQ=SECONDLY;INTERVAL=7;BYDAY=MO;BYHOUR=0;BYMINUTE=0;BYSECOND=1' | neverRuns | INTERVAL passes over",
    "rrule: 5 | badSchedule | write 'DTSTART:20260105T090000 RRULE:",
    "rrule: 'every day' | badSchedule | write 'DTSTART:20260105T090000 RRULE:",
    "rrule: 'DTSTRAT:20260105T090000 FREQ=DAILY' | badSchedule | did you mean 'DTSTART'?",
    "cron: '@daily', nth: {every: 2} | missingKey | 'nth' has no 'starting'",
    "cron: '@daily', nth: {starting: 2026-01-05} | missingKey | 'nth' has no 'every'",
    "cron: '@daily', nth: {every: 0, starting: 2026-01-05} | outOfRange | 'every'",
    "cron: '@daily', nth: {every: 2, starting: 2026-02-30} | badValue | must be a date that exists",
    "cron: '@daily', nth: {every: 2, starting: '2026-01-05T09:00'} | badValue | must be a date that exists",
    "cron: '@daily', nth: {every: 2, unit: years, starting: 2026-01-05} | badChoice | 'unit'",
    "cron: '@daily', nth: 2 | wrongType | 'nth' must be a mapping",
    "cron: '0 9 * * MON', nth: {every: 7, unit: days, starting: 2026-01-06} | neverRuns | never occurs",
    "every: 90m, anchor: 8 | badValue | 'anchor' must be a time of day such as 08:00",
    "every: 90m, anchor: '24:00' | badValue | 'anchor' must be a time of day such as 08:00",
    "every: 90m, anchor: '2026-02-30T08:00' | badValue | 'anchor' must be a time of day",
    "every: 1d, anchor: '08:00' | outOfRange | an interval of 1d is too long to begin each day again",
    "every: 1h, anchor: '08:00', align: local | conflictingKeys | 'anchor' and 'align' cannot",
    "every: 1h, anchor: '08:00', phase: keep | conflictingKeys | 'anchor' and 'phase' cannot",
    "every: 1h, align: local, first: now | conflictingKeys | 'align' and 'first' cannot",
    "every: 1h, align: local, phase: restart | conflictingKeys | 'phase' has no effect with 'align'",
    "every: 1h, align: local, from: end | conflictingKeys | cannot be combined",
    "on: start, anchor: '08:00' | missingKey | 'anchor' needs 'every'",
    "every: 1h, align: epoch, timezone: UTC | missingKey | 'timezone' needs",
    "every: 1h, anchor: '2026-01-05T08:00', dst: {gap: skip} | missingKey | 'dst' needs",
    "cron: '@daily', working_day: 0 | badValue | must be first, last, or a number that is not 0",
    "cron: '@daily', working_day: 24 | outOfRange | 'working_day'",
    "cron: '0 9 * * SUN', working_day: last | neverRuns | never occurs",
    "cron: '0 0 0 1 1 * 5000' | neverRuns | never occurs before 2262",
    "cron: '0 10 * * ? *' | badSchedule | as in AWS",
    "calendar: '@4000000000 Foo/Bar' | unknownZone | there is no time zone 'Foo/Bar'",
    "calendar: '@4000000000 UT' | unknownZone | there is no time zone 'UT'",
    "except: '@4000000000 Foo/Bar', every: 1h | unknownZone | there is no time zone 'Foo/Bar'",
  ])
  func `a text that is no schedule is refused with its place`(row: String) throws {
    let parts = row.split(separator: "|", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let loaded = load("jobs: {a: {\(parts[0]), run: x}}\n")
    #expect(loaded.snapshot == nil)
    #expect(loaded.diagnostics.map(\.code.rawValue) == [parts[1]])
    let first = try #require(loaded.diagnostics.first)
    #expect(parts[2].isEmpty || first.headline.contains(parts[2]), "\(first.headline)")
    #expect(first.location.line == 1 && first.location.column > 10)
  }

  @Test(arguments: [
    "cron: '*/45 * * * *' | uneven", "cron: '0 0 13 * 5' | day",
    "cron: '0 0 13 * 5', days: any | ", "cron: '0 0 */2 * 5' | starts with '*'",
    "cron: '0 0 */2 * 5', days: cron | ", "cron: '0 0 */2 * 5', days: any | ",
    "cron: '@daily', working_day: 21 | only 20 working days",
    "rrule: 'DTSTART:20200105T090000 FREQ=DAILY;COUNT=3' | never occurs again",
    "cron: '0 2 * * *' | ",
  ])
  func `what may not have been meant is a warning`(row: String) throws {
    let parts = row.split(separator: "|", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let loaded = load("jobs: {a: {\(parts[0]), run: x}}\n")
    #expect(loaded.snapshot != nil)
    #expect(loaded.diagnostics.count == (parts[1].isEmpty ? 0 : 1), "\(loaded.diagnostics)")
    #expect(loaded.diagnostics.allSatisfy { $0.message.contains(parts[1]) })
    #expect(
      loaded.diagnostics.allSatisfy {
        $0.severity == .warning && ($0.code == .suspicious || $0.code == .neverRuns)
      })
  }

  @Test(arguments: ["nth: {every: 2, starting: 2026-01-05}", "working_day: last"])
  func `a filter of days without an expression is a mistake`(key: String) {
    #expect(
      load("jobs: {a: {every: 1s, run: x, \(key)}}\n").diagnostics.map(\.code) == [.missingKey])
  }

  @Test(arguments: ["days: all", "dst: {gap: skip}", "timezone: UTC"])
  func `a key without anything that it applies to is a mistake`(key: String) {
    let loaded = load("jobs: {a: {every: 1s, run: x, \(key)}}\n")
    #expect(loaded.diagnostics.map(\.code) == [.missingKey])
    #expect(load("defaults: {\(key)}\njobs: {a: {every: 1s, run: x}}\n").snapshot != nil)
  }

  @Test(arguments: [
    "every: 90m, anchor: '08:00' | 2026-07-01T00:30 2026-07-01T02:00 2026-07-01T03:30 2026-07-01T05:00 2026-07-01T06:30 2026-07-01T08:00",
    "every: 7h, anchor: '08:00:30' | 2026-07-01T05:00:30 2026-07-01T08:00:30 2026-07-01T15:00:30",
    "every: 1d, align: local | 2026-07-02T00:00", "every: 1w, align: local | 2026-07-06T00:00",
    "every: 6h, align: local | 2026-07-01T06:00 2026-07-01T12:00",
    "every: 50m, anchor: '2026-06-30T23:40' | 2026-07-01T00:30 2026-07-01T01:20",
    "every: 50m, anchor: '2026-07-01T03:00+02:00' | 2026-07-01T00:30 2026-07-01T01:20",
  ])
  func `an interval that is counted on the clock gives`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    let timing = try spec("\(parts[0]), timezone: Europe/Berlin, run: x").timing
    let berlin = try #require(TestZones().zone(named: "Europe/Berlin"))
    let midnight = WallInstant(milliseconds: 1_782_856_800_000)  // 2026-07-01T00:00+02:00
    let slots = SlotPreview.slots(
      of: try spec("\(parts[0]), timezone: Europe/Berlin, run: x"), after: nil,
      startingAt: Now(wall: midnight, monotonic: MonotonicInstant(nanoseconds: 0)), count: 6)
    let wanted = parts[1].split(separator: " ").map(String.init)
    let found = slots.prefix(wanted.count).map {
      String(berlin.civilTime(at: $0.nominal).description.dropLast(4))
    }
    #expect(found == wanted.map { $0.count == 16 ? $0 + ":00" : $0 }, "\(timing.schedule.words)")
    #expect(slots.allSatisfy { $0.causes == [.every] })
  }

  @Test func `a job's own zone counts for all of its times, and an expression's own for itself`()
    throws
  {
    let spec = try spec(
      "cron: '0 12 * * *', calendar: ['13:00', '14:00 UTC'], at: 2026-07-01T15:00, "
        + "timezone: Europe/Berlin, run: x")
    let morning = WallInstant(milliseconds: 1_782_864_000_000)  // 2026-07-01T00:00Z
    let next = spec.timing.schedule.rules.map { $0.next(after: morning)?.rfc3339() }
    #expect(
      next == [
        "2026-07-01T10:00:00.000Z", "2026-07-01T11:00:00.000Z", "2026-07-01T14:00:00.000Z",
      ])
    #expect(spec.timing.schedule.at.map { $0.rfc3339() } == ["2026-07-01T13:00:00.000Z"])
  }
}
