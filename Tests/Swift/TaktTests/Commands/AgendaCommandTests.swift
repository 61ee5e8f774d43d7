import Foundation
import Testing

@Suite(.ownThreads) struct AgendaCommandTests {
  @Test func `slots that were and that come are listed, and jobs at once`() throws {
    let live = try LiveTakt(
      """
      jobs:
        quick: {every: 200ms, first: now, run: 'true'}
        backup: {cron: "0 2 * * *", expected: 1h, run: 'true'}
        report: {cron: "30 2 * * *", run: 'true'}

      """)
    try live.process.line("an end") { $0.job == "quick" && $0.outcome == "succeeded" }
    #expect(try live.process.stop() == 0)
    let agenda = try live.takt("agenda")
    #expect(agenda.status == 0, "\(agenda.errors)")
    let lines = agenda.output.split(separator: "\n").map(String.init)
    #expect(lines.first?.contains("AT ONCE") == true)
    let now = try #require(lines.firstIndex { $0.contains("  now ") })
    #expect(lines[..<now].contains { $0.contains("quick") && !$0.contains("to come") })
    #expect(lines[now...].contains { $0.contains("backup") && $0.contains("to come") })
    #expect(agenda.output.contains("Jobs at once:"), "\(agenda.output)")
    let json = try live.takt("agenda", "--until", "2d", "--json").output
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    let entries = try #require(object?["entries"] as? [[String: Any]])
    #expect(entries.contains { $0["job"] as? String == "backup" && $0["expected_ms"] != nil })
    #expect(try live.takt("agenda", "--since", "tomorrow", "--until", "today").status == 64)
    #expect(try live.takt("agenda", "-n", "0").status == 64)
  }
}
