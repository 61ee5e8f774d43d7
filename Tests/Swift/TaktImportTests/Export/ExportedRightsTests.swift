import Testing

@testable import TaktImport

/// Exports in which the keys of one job have no effect on another job, or on settings of a unit.
@Suite struct ExportedRightsTests {
  @Test func `a variable of one job does not reach the next line of a crontab`() throws {
    var export = CrontabExport(
      try ImportFixture.load(
        """
        defaults: {cwd: /}
        jobs:
          a: {cron: "1 1 * * *", user: evil, run: "true", env: {LD_PRELOAD: /x.so, HOME: /home/evil}}
          b: {cron: "2 2 * * *", user: root, run: date}
          c: {cron: "3 3 * * *", user: root, run: date}

        """), dialect: .debian, accounts: AnyAccounts())
    let result = export.result(header: "test")
    let lines = result.files[0].text.split(separator: "\n").map(String.init)
    let first = try #require(lines.firstIndex(of: "1 1 * * * evil cd / && true"))
    let second = try #require(lines.firstIndex(of: "2 2 * * * root cd / && date"))
    #expect(lines[..<first].contains("LD_PRELOAD=/x.so"))
    #expect(lines[first..<second].contains("LD_PRELOAD=\"\""))
    #expect(lines[first..<second].contains { $0.hasPrefix("HOME=") })
    // A setting that is in force already is not repeated.
    #expect(!lines[second...].contains { $0.hasPrefix("LD_PRELOAD") })
    #expect(result.report.lines.contains { $0.job == "b" && $0.key == "env" })
  }

  @Test(arguments: [
    "cwd: \"/home\\r[Service]\\rUser=root\"", "stdin: \"x\\r[Service]\\rUser=root\"",
    "description: \"x\\r[Service]\\rUser=root\"", "description: \"x\\u007f\"",
  ])
  func `a job with a control character becomes no unit`(keys: String) throws {
    var export = SystemdExport(
      try ImportFixture.load(
        "jobs:\n  a: {every: 1h, user: root, run: date, \(keys)}\n  b: {every: 1h, run: date}\n"))
    let result = export.result(header: "test")
    #expect(result.files.map(\.name) == ["b.timer", "b.service"])
    #expect(result.report.lines.contains { $0.job == "a" && !$0.isKept })
  }
}
