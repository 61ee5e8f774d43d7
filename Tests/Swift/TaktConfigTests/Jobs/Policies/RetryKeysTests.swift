import TaktCore
import Testing

@testable import TaktConfig

struct RetryKeysTests {
  @Test(arguments: [
    ("75", RetryPolicy.Failures([], exitStatuses: [75])),
    ("timeout", RetryPolicy.Failures([.timeout])),
    ("[75, timeout, 255, 1]", RetryPolicy.Failures([.timeout], exitStatuses: [1, 75, 255])),
  ])
  func `words and exit statuses say what is retried`(
    on: String, failures: RetryPolicy.Failures
  ) throws {
    let job = try spec("on: start, run: x, retry: {attempts: 2, on: \(on)}")
    #expect(job.execution.retry.failures == failures)
  }

  @Test(arguments: [
    "outOfRange | retry: {attempts: 2, within: »0s}",
    "badDuration | retry: {attempts: 2, within: »30}",
    "conflictingKeys | retry: {»within: 5m}",
    "outOfRange | retry: {attempts: 2, within: »10s}",
    "outOfRange | retry: {attempts: 2, delay: 1m, within: »1m}",
  ])
  func `a bad deadline of all attempts is reported at its place`(row: String) throws {
    try check(badRow: row) { "jobs:\n  a: {on: start, run: x, " + $0 + "}\n" }
  }

  @Test func `a deadline of all attempts that defaults give holds for a job's own pause`() throws {
    let loaded = load(
      """
      defaults: {retry: {within: 1m}}
      jobs:
        a: {on: start, run: x, retry: {attempts: 2}}
        b: {on: start, run: x, retry: {attempts: 2, delay: 2m}}
      """)
    #expect(rows(loaded.diagnostics) == ["4:54 outOfRange"])
  }

  @Test func `an exit status to retry is a difference of its own`() throws {
    let before = try spec("on: start, run: x, retry: {attempts: 2, on: [timeout, 75]}")
    let after = try spec("on: start, run: x, retry: {attempts: 2, on: [timeout, 76]}")
    let plan = ReloadPlan(from: Snapshot(jobs: [before]), to: Snapshot(jobs: [after]))
    #expect(
      plan.steps.flatMap(\.details).filter { $0.key == "retry" }.map(\.to) == [
        "attempts 2, delay 10s, factor 2.0, max 1h, jitter 0.0%, on timeout 76, until exhausted"
      ])
  }
}
