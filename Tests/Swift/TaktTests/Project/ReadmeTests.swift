import Foundation
import Testing

/// What README promises to a reader who comes from cron.
@Suite(.ownThreads) struct ReadmeTests {
  private static func readme() throws -> String {
    let root = CommandTests.example.deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
  }

  /// The jobs in the right column of the table under "From crontab".
  private static func crontabJobs() throws -> [String] {
    try readme().matches(of: #/(?m)^\| `.*` \| `([^`]+)` \|$/#).map { String($0.1) }
  }

  @Test func `each line from crontab becomes a job that takt accepts and schedules`() throws {
    let jobs = try Self.crontabJobs()
    #expect(jobs.count == 10)
    let folder = try TemporaryFolder()
    try folder.write("jobs:\n" + jobs.map { "  \($0)\n" }.joined())
    let check = try TaktProcess(["check"], in: folder)
    // Their programs need not be on this machine.
    #expect(try check.text().hasPrefix("jobs.yaml: ok, 10 jobs"))
    #expect(check.waitForExit() == 0, "\(check.errors)")
    let next = try TaktProcess(["next", "-n", "1"], in: folder)
    let slots = try next.text().split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(next.waitForExit() == 0)
    #expect(slots == jobs.compactMap { $0.split(separator: ":").first })
  }

  @Test func `a visitor has read it after 1800 words`() throws {
    #expect(try Self.readme().split(whereSeparator: \.isWhitespace).count <= 1800)
  }
}
