import Foundation
import Testing

@Suite(.ownThreads) struct ClockJobTests {
  @Test func `times of the clock are kept, in the ledger too, over a restart`() throws {
    let folder = try TemporaryFolder(
      """
      jobs:
        second: {cron: '@every_second', run: 'true'}
        even: {calendar: '*:*:0/2', run: 'true', missed: {policy: skip}}
      """)
    var slots: [Int64] = []
    for _ in 0..<2 {
      let process = try TaktProcess(["run"], in: folder)
      for job in ["second", "even", "second"] {
        let line = try process.line("a slot") { $0.job == job && $0.verdict == "ran" }
        let slot = try #require(milliseconds(line.slot))
        #expect(slot % (job == "even" ? 2000 : 1000) == 0)
        #expect(line.cause == (job == "even" ? "calendar" : "cron"))
        if job == "second" { slots.append(slot) }
      }
      process.crash()
      // Some of them pass without a running daemon.
      usleep(2_500_000)
    }
    #expect(slots == slots.sorted() && Set(slots).count == slots.count)
    let last = try TaktProcess(["run"], in: folder)
    try last.line("what has passed") { $0.job == "even" && $0.verdict == "missed" }
    try last.line("a new slot") { $0.job == "even" && $0.verdict == "ran" }
    #expect(try last.stop() == 0)
    let verify = try folder.takt("verify")
    #expect(verify.status == 0, "\(verify)")
  }

  @Test(arguments: [
    "--cron|30 2 * * *|02:30 does not exist, due at 2026-03-29T03:00:00.000+02:00",
    "--cron|30 2 * * *|02:30 occurs twice, due at 2026-10-25T02:30:00.000+02:00",
    "--calendar|02:30|02:30 does not exist, there is no slot",
    "--cron|*/15 * * * *|", "--cron|0 12 * * *|",
  ])
  func `explain says what the next clock changes do`(row: String) throws {
    let parts = row.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    let folder = try TemporaryFolder()
    let answer = try folder.takt(
      "explain", parts[0], parts[1], "--timezone", "Europe/Berlin", "--after", "2026-03-01T00:00")
    #expect(answer.output.contains("note") == !parts[2].isEmpty)
    #expect(parts[2].isEmpty || answer.output.contains(parts[2]), "\(answer.output)")
  }

  @Test func `explain tells the times of an expression, and where one is wrong`() throws {
    let folder = try TemporaryFolder()
    let cron = try folder.takt(
      "explain", "--cron", "30 2 * * *", "--timezone", "Europe/Berlin", "--after",
      "2026-03-28T12:00", "-n", "2", "--json")
    #expect(
      cron.output
        == #"{"next":["2026-03-29T01:00:00.000Z","2026-03-30T00:30:00.000Z"],"normalized":"30 2 * * *"}"#
        + "\n")
    let calendar = try folder.takt(
      "explain", "--calendar", "Mon..Fri 9:00 UTC", "--after", "2026-11-21T00:00Z", "-n", "1")
    #expect(calendar.output.contains("Mon..Fri *-*-* 09:00:00 UTC"))
    #expect(calendar.output.contains("2026-11-23T09:00:00.000Z"))
    let never = try folder.takt("explain", "--cron", "30 2 30 2 *", "--json")
    #expect(never.status == 0 && never.output.contains(#""next":[]"#))
    let wrong = try folder.takt("explain", "--cron", "0 61 * * *")
    #expect(wrong.status == 65)
    #expect(wrong.errors.hasSuffix("  0 61 * * *\n    ^\n"))
    #expect(try folder.takt("explain", "--cron", "@daily", "--timezone", "Mars").status == 65)
    #expect(try folder.takt("explain").status == 64)
    try folder.write("jobs:\n  a: {cron: '0 9 * * MON', timezone: UTC, run: x}\n")
    let job = try folder.takt("explain", "a", "--after", "2026-11-21T00:00Z", "-n", "1")
    #expect(job.status == 0, "\(job)")
    #expect(job.output.contains("cron 0 9 * * MON: "))
    #expect(job.output.contains("2026-11-23T09:00:00.000Z  cron"))
    let misspelt = try folder.takt("explain", "b")
    #expect(misspelt.status == 64 && misspelt.errors.contains("there is no job 'b'"))
  }
}
