import Foundation
import Testing

@Suite(.ownThreads) struct AttemptOutputTests {
  private static let jobs = """
    jobs:
      third:
        cron: '@yearly'
        retry: {attempts: 4, delay: 10ms}
        run: 'echo attempt $TAKT_ATTEMPT; [ $TAKT_ATTEMPT = 3 ]'
      waits:
        cron: '@yearly'
        retry: {attempts: 2, delay: 1h}
        run: 'echo first; exit 1'

    """

  @Test func `logs and the API show each attempt of a run`() throws {
    let live = try LiveTakt(Self.jobs)
    #expect(try live.takt("trigger", "third", "--wait").status == 0)
    let all = "attempt 1\nattempt 2\nattempt 3\n"
    let logs = try live.takt("logs", "third")
    #expect(logs.output == all && logs.errors.contains("\nattempt 2\n"), "\(logs)")
    #expect(try live.takt("logs", "1", "--attempt", "2").output == "attempt 2\n")
    #expect(try live.takt("logs", "third", "--attempt", "3").output == "attempt 3\n")
    let none = try live.takt("logs", "third", "--attempt", "4")
    #expect(none.status == 64 && none.errors.contains("no attempt 4"), "\(none)")
    #expect(try live.takt("logs", "third", "--attempt", "0").status == 64)
    #expect(try live.takt("logs", "third", "-f", "--attempt", "1").status == 64)
    let output = "/api/v1/runs/1/output"
    #expect(try live.ask("GET", output).text == all)
    for attempt in 1...3 {
      #expect(try live.ask("GET", "\(output)?attempt=\(attempt)").text == "attempt \(attempt)\n")
    }
    #expect(try live.ask("GET", "\(output)?attempt=4").status == 404)
    #expect(try live.ask("GET", "\(output)?attempt=0").status == 400)
    #expect(try live.ask("GET", "\(output)?attempt=1&follow=true").status == 400)
    #expect(try live.process.stop() == 0)
    // From the ledger alone.
    #expect(try live.takt("logs", "third").output == all)
  }

  @Test func `the output of an attempt is there while the run waits for the next`() throws {
    let live = try LiveTakt(Self.jobs)
    #expect(try live.takt("trigger", "waits").status == 0)
    try live.process.line("its back-off") { $0.job == "waits" && $0.to == "backing_off" }
    #expect(try live.ask("GET", "/api/v1/runs/1/output?attempt=1").text == "first\n")
    #expect(try live.ask("GET", "/api/v1/runs/1/output?attempt=2").status == 404)
    #expect(try live.process.stop() == 0)
    #expect(try live.takt("logs", "1").output == "first\n")
    // The next daemon continues the run; earlier output stays with the run before.
    let again = try TaktProcess(["run"], in: live.folder)
    try again.line("its back-off") { $0.job == "waits" && $0.to == "backing_off" }
    #expect(try again.stop() == 0)
    #expect(try live.takt("logs", "1", "--attempt", "1").output == "first\n")
    #expect(try live.takt("verify").status == 0)
  }
}
