import TaktCore
import Testing

@testable import TaktImport

/// Lines of an anacrontab that end with a backslash.
@Suite struct AnacrontabLinesTests {
  private static func result(_ text: String, _ dialect: CronDialect) throws -> Importer.Result {
    let fixture = try ImportFixture()
    fixture.options.kind = .anacrontab
    fixture.options.dialect = dialect
    return fixture.run(input: text)
  }

  private static let text = """
    A=one \\
    two
    # off: \\
    1 5 off /bin/off
    1 5 daily\\
      /bin/x \\
      --more \\
    \\
      and\\ more
    7 10 weekly /bin/y

    """

  @Test func `cronie joins them and leaves out backslashes`() throws {
    let result = try Self.result(Self.text, .cronie)
    #expect(result.lost.isEmpty)
    let jobs = try ImportFixture.load(result.text).jobs
    #expect(jobs.map(\.name.text) == ["daily", "weekly"])
    #expect(jobs.first?.execution.environment["A"] == "one  two")
    #expect(result.text.contains("run: '/bin/x    --more     and more'"), "\(result.text)")
    let notes = result.report.notes
    #expect(notes.map(\.place.line) == [4, 5])
    #expect(notes.first?.sentence.contains("there is no job for it") == true)
    #expect(notes.last?.sentence.contains("backslashes") == true)
  }

  @Test func `Debian's anacron does not join them`() throws {
    let result = try Self.result(Self.text, .debian)
    #expect(result.jobs.map(\.name) == ["off", "weekly"])
    #expect(result.report.lineCount { $0.fate == .lost } == 6)
  }

  @Test func `the delay of an interval is said to be lost`() throws {
    let result = try Self.result("3 1500 long x\n1 5 daily y\n", .debian)
    #expect(result.value(.every) == .word("3d"))
    #expect(
      result.changed.filter { $0.contains("start") } == [
        "1500: an interval has no time of day: the runs start without it",
        "5: part of the time of day; a run that is made up for starts without it",
      ])
  }

  @Test func `a refused line is one entry, however it is broken`() throws {
    let result = try Self.result("0 5 \\\nname \\\nx\n", .cronie)
    #expect(result.lost == ["0 5 name x: anacron knows no such period"])
    #expect(result.report.lineCount { $0.fate == .lost } == 1)
  }
}
