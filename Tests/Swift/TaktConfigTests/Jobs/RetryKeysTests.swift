import TaktCore
import TaktTesting
import TaktTime
import Testing

@testable import TaktConfig

/// The keys under `retry`.
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

  @Test func `an exit status to retry is a difference of its own`() throws {
    let before = try spec("on: start, run: x, retry: {attempts: 2, on: [timeout, 75]}")
    let after = try spec("on: start, run: x, retry: {attempts: 2, on: [timeout, 76]}")
    let plan = ReloadPlan(from: Snapshot(jobs: [before]), to: Snapshot(jobs: [after]))
    #expect(
      plan.steps.flatMap(\.details).map(\.to) == [
        "attempts 2, delay 10s, factor 2.0, max 1h, jitter 0.0%, on timeout 76, until exhausted"
      ])
  }
}
