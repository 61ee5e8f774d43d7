import TaktCore
import TaktTime
import Testing

@testable import TaktConfig

struct MissedKeysTests {
  private static let night = "calendars: {night: {expressions: ['1..5:*:*']}}\n"

  @Test func `times for late runs are calendars and expressions in the job's zone`() throws {
    let job = try spec(
      "every: 1h, timezone: UTC, run: x, missed: {only_on: [night, 'Sat,Sun']}", before: Self.night)
    let times = try #require(job.missed.times?.value)
    #expect(times.onlyOn.map(\.name) == ["night"])
    #expect(times.onlyOnTimes.map(\.isWholeDays) == [true])
    #expect(times.zone.name == "UTC")
    #expect(job.timing.schedule.calendars == nil)
  }

  @Test func `times for late runs of defaults hold for a job, and null takes them away`() throws {
    let loaded = load(
      Self.night + """
        defaults: {missed: {only_on: night}}
        jobs:
          a: {every: 1h, run: x}
          b: {every: 1h, run: x, missed: {within: 2h}}
          c: {every: 1h, run: x, missed: {only_on: null}}
        """)
    #expect(loaded.diagnostics.map(\.headline) == [])
    #expect(loaded.snapshot?.jobs.map { $0.missed.times != nil } == [true, true, false])
  }

  @Test(arguments: [
    "badValue | only_on: »nihgt", "badSchedule | only_on: »'25:00'", "badValue | only_on: »[]",
    "wrongType | only_on: »{night: 1}",
  ])
  func `wrong times for late runs are reported at their place`(row: String) throws {
    try check(badRow: row) {
      Self.night + "jobs: {a: {every: 1h, run: x, missed: {\($0)}}}\n"
    }
  }

  @Test func `times for late runs of a job that has none are a warning`() throws {
    let loaded = load(
      Self.night + "jobs: {a: {every: 1h, run: x, missed: {policy: skip, only_on: night}}}\n")
    #expect(rows(loaded.diagnostics) == ["2:54 conflictingKeys"])
    #expect(loaded.snapshot != nil)
  }

  @Test func `other times for late runs are a difference`() throws {
    let before = try spec("every: 1h, run: x, missed: {only_on: '1..5:*:*'}")
    let after = try spec("every: 1h, run: x, missed: {only_on: '2..5:*:*'}")
    let plan = ReloadPlan(from: Snapshot(jobs: [before]), to: Snapshot(jobs: [after]))
    #expect(plan.steps.flatMap(\.details).map(\.key).contains("missed"))
  }
}
