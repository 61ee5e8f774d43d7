import Foundation
import Testing

/// The exit codes of `takt --help` and of the docs.
@Suite(.ownThreads) struct ExitCodeTests {
  /// The codes in `docs/operating.md`, under "Exit codes".
  private static func documented() throws -> [String] {
    let page = CommandTests.example.deletingLastPathComponent()
      .appendingPathComponent("docs/operating.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let section = text.components(separatedBy: "## Exit codes\n")[1]
      .components(separatedBy: "\n## ")[0]
    return section.matches(of: #/(?m)^\| (\d+) \|/#).map { String($0.1) }
  }

  @Test func `help and docs list the same exit codes`() throws {
    let folder = try TemporaryFolder()
    let takt = try folder.takt("--help")
    #expect(takt.status == 0)
    let listed = takt.output.matches(of: #/(?m)^(\d+) {2,}\S/#).map { String($0.1) }
    #expect(listed.count == 14, "\(takt.output)")
    #expect(try listed == Self.documented())
  }

  @Test(arguments: [
    ("plan a b c", "64"), ("plan", "69"), ("suspend", "64"), ("explain --cron x", "65"),
    ("status", "69"), ("check missing.yaml", "78"), ("test", "78"),
    ("runs", "78"),
  ])
  func `a command exits with the listed code`(command: String, code: String) throws {
    let folder = try TemporaryFolder()
    let takt = try folder.takt(command.components(separatedBy: " "))
    #expect("\(takt.status)" == code, "\(takt.errors)")
  }
}
