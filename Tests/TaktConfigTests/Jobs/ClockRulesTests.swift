import Foundation
import TaktCore
import Testing

@testable import TaktConfig
import TaktTime

/// `cron` and `calendar` as a file has them.
@Suite struct ClockRulesTests {
  @Test(
    arguments: [
      "cron: '30 2 * *' | badSchedule | ", "cron: '61 * * * *' | badSchedule | at character 1 of",
      "cron: '0 0 * * MOM' | badSchedule | at character 9 of",
      "cron: '@reboot' | badSchedule | ", "cron: 'TZ=UTC 0 0 * * *' | badSchedule | ",
      "cron: '30 2 30 2 *' | neverRuns | '30 2 30 2 *' never occurs",
      "calendar: 'Mon..Fry 09:00' | badSchedule | ", "calendar: '25:00' | badSchedule | ",
      "calendar: '*-02-30' | neverRuns | never occurs",
      "calendar: 'daily Mars/Olympus' | unknownZone | there is no time zone 'Mars/Olympus'",
      "cron: '@daily', timezone: Europe/Berlen | unknownZone | ",
      "cron: '' | badValue | ",
      "cron: '0 0 0 1 1 * 5000' | neverRuns | never occurs before 2262",
      "cron: '0 10 * * ? *' | badSchedule | as in AWS",
      "calendar: '@4000000000 Foo/Bar' | unknownZone | there is no time zone 'Foo/Bar'",
      "calendar: '@4000000000 UT' | unknownZone | there is no time zone 'UT'",
      "except: '@4000000000 Foo/Bar', every: 1h | unknownZone | there is no time zone 'Foo/Bar'",
    ])
  func `what is no time of the clock is refused with its place`(row: String) throws {
    let parts = row.split(separator: "|", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let loaded = load("jobs: {a: {\(parts[0]), run: x}}\n")
    #expect(loaded.snapshot == nil)
    #expect(loaded.diagnostics.map(\.code.rawValue) == [parts[1]])
    let first = try #require(loaded.diagnostics.first)
    #expect(parts[2].isEmpty || first.message.contains(parts[2]), "\(first.message)")
    #expect(first.location.line == 1 && first.location.column > 10)
  }

  @Test(
    arguments: [
      "cron: '*/45 * * * *' | uneven", "cron: '0 0 13 * 5' | day",
      "cron: '0 0 13 * 5', days: any | ", "cron: '0 0 */2 * 5' | begins with '*'",
      "cron: '0 0 */2 * 5', days: cron | ", "cron: '0 0 */2 * 5', days: any | ",
      "cron: '0 */12 * * *', timezone: Asia/Beirut | an hour field with '*' drops", "cron: '0 2 * * *' | ",
    ])
  func `what may not have been meant is a warning`(row: String) throws {
    let parts = row.split(separator: "|", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let loaded = load("jobs: {a: {\(parts[0]), run: x}}\n")
    #expect(loaded.snapshot != nil)
    #expect(loaded.diagnostics.count == (parts[1].isEmpty ? 0 : 1), "\(loaded.diagnostics)")
    #expect(loaded.diagnostics.allSatisfy { $0.message.contains(parts[1]) })
    #expect(loaded.diagnostics.allSatisfy { $0.severity == .warning && $0.code == .suspicious })
  }

  @Test(arguments: ["days: all", "dst: {gap: skip}", "timezone: UTC"])
  func `a key that has nothing to say something about is a mistake`(key: String) {
    let loaded = load("jobs: {a: {every: 1s, run: x, \(key)}}\n")
    #expect(loaded.diagnostics.map(\.code) == [.missingKey])
    #expect(load("defaults: {\(key)}\njobs: {a: {every: 1s, run: x}}\n").snapshot != nil)
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
