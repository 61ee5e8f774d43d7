import TaktCore
import Testing

@testable import TaktImport

@Suite struct StartFolderTests {
  private static func result(
    _ home: String, _ dialect: CronDialect = .debian, prepare: (ImportFixture) throws -> Void
  ) throws -> Importer.Result {
    let fixture = try ImportFixture()
    fixture.options.dialect = dialect
    try fixture.write(
      "root:x:0:0:root:/root:/bin/sh\nanna:x:1000:1000::\(home):/bin/sh\n", to: "etc/passwd")
    try fixture.write("* * * * * anna pwd\n", to: "etc/cron.d/x")
    try prepare(fixture)
    return fixture.run("/etc/cron.d/x")
  }

  private static func folder(of result: Importer.Result) throws -> String? {
    let jobs = try ImportFixture.load(result.text).jobs
    return jobs.first?.execution.directory
  }

  @Test(arguments: ["/nonexistent", "/no/such", "", "relative"])
  func `a home that is not there is replaced, and that is said`(home: String) throws {
    let result = try Self.result(home) { try $0.write("", to: "bin/sh", isProgram: true) }
    #expect(try Self.folder(of: result) == "/")
    #expect(result.report.notes.count == 1)
    let spool = try Self.result(home) {
      try $0.write("", to: "bin/sh", isProgram: true)
      try $0.write("", to: "var/spool/cron/crontabs/anna")
    }
    #expect(try Self.folder(of: spool) == "/var/spool/cron")
    #expect(spool.report.notes.count == 1)
  }

  @Test func `cronie starts nothing without a home`() throws {
    let result = try Self.result("/nonexistent", .cronie) { _ in }
    #expect(try ImportFixture.load(result.text).jobs.map(\.timing.isEnabled) == [false])
    #expect(result.report.notes.count == 1)
  }

  @Test(arguments: [
    // A copy of a part of a machine.
    ["etc/x"],
    // A disk whose other file systems are not mounted.
    ["bin/sh", "home/"],
    ["bin/sh", "home/anna/x"],
  ])
  func `a home that may be there stays`(paths: [String]) throws {
    let result = try Self.result("/home/anna") { fixture in
      for path in paths {
        if path.hasSuffix("/") {
          try fixture.makeFolder(path)
        } else {
          try fixture.write("", to: path, isProgram: true)
        }
      }
    }
    #expect(try Self.folder(of: result) == "/home/anna")
    #expect(result.report.notes.isEmpty)
  }

  @Test func `a HOME that another machine may have is noted once`() throws {
    let fixture = try ImportFixture()
    try fixture.write(
      "HOME=/no/such\n* * * * * anna a\n* * * * * anna b\nHOME=/etc\n* * * * * anna c\n",
      to: "etc/cron.d/x")
    let result = fixture.run("/etc/cron.d/x")
    #expect(try Self.folder(of: result) == "/no/such")
    #expect(
      result.report.notes.map(\.sentence) == [
        "there is no folder /no/such below --root: the jobs start only if their machine has it"
      ])
  }

  @Test func `HOME counts for the scripts of a folder, too`() throws {
    let fixture = try ImportFixture()
    fixture.options.isSystem = true
    try fixture.write("", to: "etc/cron.hourly/one", isProgram: true)
    try fixture.write(
      "HOME=/etc\n* * * * * root run-parts /etc/cron.hourly\n", to: "etc/cron.d/x")
    #expect(try Self.folder(of: fixture.run()) == "/etc")
  }
}
