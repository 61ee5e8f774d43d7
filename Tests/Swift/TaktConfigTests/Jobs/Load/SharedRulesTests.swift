import TaktCore
import Testing

@testable import TaktConfig

/// Expressions are read once a load; a job's other keys decide about its own rule.
struct SharedRulesTests {
  private func schedules(_ jobs: String) throws -> [Schedule] {
    let snapshot = try #require(load("jobs:\n" + jobs).snapshot)
    return snapshot.jobs.map(\.timing.schedule)
  }

  @Test func `jobs with one expression and different keys have different rules`() throws {
    let schedules = try schedules(
      """
        a: {cron: "0 3 13 * 5", days: any, run: x}
        b: {cron: "0 3 13 * 5", days: all, run: x}
        c: {cron: "0 3 13 * 5", days: any, timezone: Europe/Berlin, run: x}
        d: {cron: "0 3 13 * 5", days: any, dst: {gap: skip}, run: x}
        e: {cron: "0 3 13 * 5", days: any, run: x}
      """)
    #expect(Set(schedules).count == 4)
    #expect(schedules[0] == schedules[4])
  }

  @Test func `the hashed value of an expression is each job's own`() throws {
    let schedules = try schedules(
      """
        a: {cron: "H H * * *", run: x}
        b: {cron: "H H * * *", run: x}
        c: {cron: "h 3 * * *", run: x}
        d: {cron: "h 3 * * *", run: x}
      """)
    #expect(Set(schedules).count == 4)
  }

  @Test func `a doubtful expression is reported for each job that has it`() {
    let loaded = load(
      """
      jobs:
        a: {cron: "*/7 * * * *", run: x}
        b: {cron: "*/7 * * * *", run: x}
        c: {cron: "0 3 13 * 5", run: x}
        d: {cron: "0 3 13 * 5", days: any, run: x}
      """)
    #expect(loaded.diagnostics.map(\.location.line) == [2, 3, 4])
    #expect(loaded.diagnostics.map(\.severity) == [.warning, .warning, .warning])
  }

  @Test func `a leeway that is too long is reported for each job that has it`() {
    let loaded = load(
      """
      jobs:
        a: {cron: "*/5 * * * *", leeway: 5m, run: x}
        b: {cron: "*/5 * * * *", leeway: 5m, run: x}
        c: {cron: "*/5 * * * *", leeway: 4m, run: x}
      """)
    #expect(loaded.diagnostics.map(\.location.line) == [2, 3])
  }
}
