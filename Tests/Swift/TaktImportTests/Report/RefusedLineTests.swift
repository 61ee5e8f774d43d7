import TaktCore
import Testing

@testable import TaktImport

@Suite struct RefusedLineTests {
  @Test(
    arguments: [
      (.crontab, "0  24 * * *\t/bin/x a  b", "0 24 * * * /bin/x a  b"),
      (.cronD, "0 2 * * * nobody-here /bin/x", "0 2 * * * nobody-here /bin/x"),
      (.crontab, "@often /bin/x", "@often /bin/x"),
      (.supercronic, "0 0 * * 5-7 /bin/x", "0 0 * * 5-7 /bin/x"),
      (.anacrontab, "0 5 name /bin/x", "0 5 name /bin/x"),
    ] as [(SourceKind, String, String)])
  func `a refused line is one entry`(kind: SourceKind, line: String, token: String) throws {
    let fixture = try ImportFixture()
    fixture.options.kind = kind
    let report = fixture.run(input: " \(line)\n\(line)\n").report
    let entries = report.entries(.lost)
    #expect(entries.map(\.token.text) == [token, token])
    #expect(entries.map(\.token.place.line) == [1, 2])
    #expect(entries.map(\.token.place.column) == [2, 1])
    // The reason, and no entry for the rest of the line.
    #expect(!entries.contains { $0.sentence.contains("left out") })
    #expect(report.lineCount { $0.fate == .lost } == 2)
  }

  @Test func `totals count lines`() throws {
    let fixture = try ImportFixture()
    fixture.options.kind = .anacrontab
    let report = fixture.run(input: "1 5 a x\n7 5 b y\n").report
    #expect(report.entries(.differently).count == 4)
    #expect(report.lineCount { $0.fate == .differently } == 2)
    #expect(report.lineCount { $0.fate == .lost } == 0)
  }
}
