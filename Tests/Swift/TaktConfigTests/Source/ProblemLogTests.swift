import TaktCore
import Testing

@testable import TaktConfig

struct ProblemLogTests {
  private func diagnostic(
    _ line: Int, file: String = "a", severity: Diagnostic.Severity = .error
  ) -> Diagnostic {
    Diagnostic(
      severity: severity, .badValue, at: SourceLocation(file: file, line: line, column: 1), "m")
  }

  @Test func `problems stand in the order of files and lines, each once`() {
    var log = ProblemLog()
    for line in [3, 1, 3] { log.add(diagnostic(line)) { $0.message += " of \(line)" } }
    log.add(diagnostic(2, file: "0"))
    let sorted = log.sorted(files: ["a", "0"])
    #expect(sorted.map(\.location.description) == ["a:1:1", "a:3:1", "0:2:1"])
    #expect(sorted[0].message == "m of 1")
    #expect(log.errorCount == 4)
  }

  @Test(arguments: [90, 100, 3000])
  func `warnings leave out no error, and the file says so`(errors: Int) {
    let warnings = (1...3000).map { "  w\($0): {cron: '0 0 13 * 5', run: x}\n" }.joined()
    let wrong = (1...errors).map { "  e\($0): {every: 5, run: x}\n" }.joined()
    let shown = load("jobs:\n" + warnings + wrong).diagnostics
    #expect(shown.count == ProblemLog.shownBound + 1)
    let found = shown.dropLast().filter { $0.severity == .error }
    #expect(found.count == min(errors, ProblemLog.shownBound))
    #expect(found.allSatisfy { $0.hint == "write 5s" })
    // In the order of the lines.
    #expect(shown.dropLast().map(\.location) == shown.dropLast().map(\.location).sorted())
    #expect(shown.last?.message == "\(2900 + errors) more problems are not shown")
    #expect(shown.last?.severity == (errors > 100 ? .error : .warning))
  }

  @Test func `no number of problems takes more than bounded memory`() {
    var log = ProblemLog()
    for line in 1...10_000 { log.add(diagnostic(line, severity: .warning)) }
    #expect(log.errorCount == 0)
    let last = log.sorted(files: ["a"]).last
    #expect(last?.message == "9900 more problems are not shown")
    #expect(last?.severity == .warning)
    var sum = ProblemLog()
    sum.add(log)
    sum.add(diagnostic(1, file: "b"))
    #expect(sum.sorted(files: ["a", "b"]).last?.message == "9901 more problems are not shown")
    #expect(sum.sorted(files: ["a", "b"]).last?.severity == .warning)
  }
}
