import TestSupport
import Testing

/// The table of times at the end of CI and `make check-slow`.
@Suite(.ownThreads) struct StagesScriptTests {
  private func stages(_ arguments: String...) throws -> (status: Int32, lines: [String]) {
    let folder = try TemporaryFolder()
    let takt = try folder.takt(arguments, program: Repository.path("scripts/stages"))
    return (takt.status, takt.output.split(separator: "\n").map(String.init))
  }

  /// The rows of the table: each stage with its result.
  private func results(_ lines: [String]) -> [String] {
    guard let head = lines.firstIndex(where: { $0.hasPrefix("stage ") }) else { return [] }
    return lines[(head + 1)...].map { line in
      let words = line.split(separator: " ")
      return (words.prefix(1) + words.dropFirst(3)).joined(separator: " ")
    }
  }

  @Test func `the table is there when a stage fails, and names what was not run`() throws {
    let end = try stages("one: true", "two: exit 3", "three: true")
    #expect(end.status == 1)
    #expect(results(end.lines) == ["one passed", "two FAILED (3)", "three not run", "total"])
  }

  @Test func `with --all the stages after a failed one are run too`() throws {
    let end = try stages("--all", "one: false", "two: echo said")
    #expect(end.status == 1)
    #expect(end.lines.contains("said"))
    #expect(results(end.lines) == ["one FAILED (1)", "two passed", "total"])
  }

  @Test func `all stages passed is success`() throws {
    #expect(try stages("one: true").status == 0)
  }
}
