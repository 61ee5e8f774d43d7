import Foundation
import Testing

/// Promises of README to a reader who comes from cron.
@Suite(.ownThreads) struct ReadmeTests {
  private static let root = CommandTests.example.deletingLastPathComponent()

  private static func readme() throws -> String {
    try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
  }

  /// The jobs in the right column of the table under "From crontab".
  private static func crontabJobs() throws -> [String] {
    try readme().matches(of: #/(?m)^\| `.*` \| `([^`]+)` \|$/#).map { String($0.1) }
  }

  @Test func `each line from crontab becomes a job that takt accepts and schedules`() throws {
    let jobs = try Self.crontabJobs()
    #expect(jobs.count == 10)
    let folder = try TemporaryFolder("jobs:\n" + jobs.map { "  \($0)\n" }.joined())
    let check = try TaktProcess(["check"], in: folder)
    // Their programs need not exist on this machine.
    #expect(try check.text().hasPrefix("jobs.yaml: ok, 10 jobs"))
    #expect(check.waitForExit() == 0, "\(check.errors)")
    let next = try TaktProcess(["next", "-n", "1"], in: folder)
    let slots = try next.text().split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(next.waitForExit() == 0)
    #expect(slots == jobs.compactMap { $0.split(separator: ":").first })
  }

  @Test func `its table of documents names every built-in`() throws {
    let page = try String(
      contentsOf: Self.root.appendingPathComponent("docs/reference/builtins.md"), encoding: .utf8)
    let names = page.matches(of: #/(?m)^## (`[a-z]+`)$/#).map { String($0.1) }
    #expect(names.count >= 9)
    let row = try #require(
      Self.readme().split(separator: "\n").first { $0.hasPrefix("| [Built-ins]") })
    #expect(names.filter { !row.contains($0) } == [])
  }

  @Test(arguments: ["docs", "docs/reference", "docs/internals"])
  func `it leads to every page of the docs`(folder: String) throws {
    let readme = try Self.readme()
    let names = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent(folder).path)
    let pages = names.filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    #expect(!pages.isEmpty)
    #expect(pages.filter { !readme.contains("(\($0)") } == [])
  }

  @Test func `a visitor has read it after 1800 words`() throws {
    #expect(try Self.readme().split(whereSeparator: \.isWhitespace).count <= 1800)
  }
}
