import TaktCore
import TaktTesting
import TestSupport
import Testing

@testable import TaktConfig

/// Every YAML example of the docs is a valid jobs file.
struct DocumentedExamplesTests {
  @Test func `the examples in the docs are valid`() throws {
    let examples = Self.examples(in: try text(of: "docs/jobs-file.md"))
    #expect(examples.count > 5)
    let folder = TemporaryFolder()
    folder.write(try text(of: "Tests/Data/calendars/holidays.ics"), to: "holidays.ics")
    for example in examples {
      let loaded = loader.load(path: folder.write(example, to: "jobs.yaml"))
      #expect(loaded.diagnostics.map(\.headline) == [])
    }
    let defaults = try #require(examples.first { $0.contains("defaults: {timeout: 10m, env:") })
    let environment = load(defaults).snapshot?.jobs.first?.execution.environment
    #expect(environment == ["LANG": "C", "X": "1"])
  }

  @Test func `the examples of a cluster are valid`() throws {
    let page = try text(of: "docs/cluster.md")
    let examples = Self.examples(in: page).map(Self.withoutIndentation)
    #expect(examples.count == 5)
    let files = try ["jobs.yaml", "jobs-etcd.yaml"].map { try text(of: "Examples/cluster/\($0)") }
    for example in examples.dropFirst() + files {
      let loaded = load(example)
      #expect(loaded.diagnostics.map(\.headline) == [])
      #expect(loaded.snapshot?.settings.cluster != nil)
    }
    // The file that a shell of the page writes for each of two daemons.
    let script = try #require(
      page.split(separator: "<<END\n").last?.split(separator: "END\n").first.map(String.init))
    let folder = TemporaryFolder()
    folder.write(examples[0], to: "jobs.yaml")
    let main = Self.withoutIndentation(script).replacing("$name", with: "a")
    let loaded = loader.load(path: folder.write(main, to: "a.yaml"))
    #expect(loaded.diagnostics.map(\.headline) == [])
    let snapshot = try #require(loaded.snapshot)
    #expect(snapshot.names == ["tick", "disk"])
    #expect(snapshot.settings.cluster?.machine == "a")
    #expect(snapshot.settings.state == .folder(folder[".takt-a"]))
  }

  private func text(of name: String) throws -> String {
    try Repository.text(name)
  }

  /// A text without the indentation of its first line: an example in a list is indented.
  private static func withoutIndentation(_ text: String) -> String {
    let depth = text.prefix { $0 == " " }.count
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { line in line.dropFirst(min(depth, line.prefix { $0 == " " }.count)) }
      .joined(separator: "\n")
  }

  /// The contents of the fences of YAML.
  static func examples(in text: String) -> [String] {
    text.split(separator: "```yaml\n").dropFirst().compactMap {
      $0.split(separator: "```").first.map(String.init)
    }
  }
}
