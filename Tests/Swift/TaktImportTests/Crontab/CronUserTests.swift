import Foundation
import TaktCore
import Testing

@testable import TaktImport

/// The users of the lines of a crontab.
@Suite struct CronUserTests {
  private static func notes(_ result: Importer.Result) -> [String] {
    result.report.notes.map(\.sentence)
  }

  @Test(arguments: [
    ("* * * * * app /usr/local/bin/x\n@daily app php /srv/artisan\n", true),
    ("* * * * * app /srv/x.sh\n", true),
    ("* * * * * anna x\n", true),
    // Programs with an argument.
    ("* * * * * php /srv/x.php\n", false),
    ("* * * * * tool /srv/data\n", false),
    ("* * * * * other /usr/bin/x\n", false),
    ("* * * * * app /usr/local/bin/x\n* * * * * /usr/bin/x\n", false),
  ])
  func `a column for the user is suspected`(crontab: String, isNoted: Bool) throws {
    let fixture = try ImportFixture()
    try fixture.write("", to: "usr/bin/other", isProgram: true)
    let notes = Self.notes(fixture.run(input: crontab))
    #expect(notes.contains { $0.hasSuffix("import with --from cron.d") } == isNoted, "\(notes)")
  }

  @Test func `users that are guessed are said to be, and no name is guessed`() throws {
    let fixture = try ImportFixture()
    try FileManager.default.removeItem(at: fixture.folder.appendingPathComponent("etc/passwd"))
    try fixture.write("* * * * * app x\n* * * * * $VV y\n* * * * * root z\n", to: "etc/cron.d/x")
    let result = fixture.run("/etc/cron.d/x")
    #expect(result.jobs.count == 2)
    #expect(result.lost.contains { $0.contains("no user can be called '$VV'") })
    #expect(Self.notes(result).filter { $0.contains("guessed") }.count == 1)
  }

  @Test(arguments: CronDialect.allCases)
  func `a USER of the crontab is passed on as cron does`(dialect: CronDialect) throws {
    let fixture = try ImportFixture()
    fixture.options.dialect = dialect
    try fixture.write("USER=daemon\nLOGNAME=anna\n* * * * * anna x\n", to: "etc/cron.d/x")
    let result = fixture.run("/etc/cron.d/x")
    let environment = try ImportFixture.load(result.text).jobs.first?.execution.environment
    #expect(environment?["USER"] == (dialect == .debian ? "daemon" : nil))
    #expect(environment?["LOGNAME"] == nil)
    let notes = Self.notes(result).filter { $0.hasPrefix("cron sets") }
    #expect(notes.count == (dialect == .debian ? 0 : 1))
  }
}
