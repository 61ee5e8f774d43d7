import TaktCore
import Testing

@testable import TaktImport

/// Other programs or another input make another job.
@Suite struct ServiceSurroundingsTests {
  private func result(_ service: String) throws -> Importer.Result {
    let fixture = try ImportFixture()
    try fixture.write("[Timer]\nOnCalendar=daily\n", to: "u/x.timer")
    try fixture.write("[Service]\nType=oneshot\n\(service)\nExecStart=work -a\n", to: "u/x.service")
    let result = fixture.run("/u/x.timer")
    _ = try ImportFixture.load(result.text)
    return result
  }

  @Test(arguments: [
    "RootDirectory=/srv", "RootImage=/srv/x.raw", "ExtensionImages=/srv/x.raw",
    "StandardInput=file:/data", "StandardInput=tty", "ExecSearchPath=opt",
    "Environment=PATH=/bin\nExecSearchPath=/opt",
  ])
  func `a job with other programs or another input is disabled`(service: String) throws {
    let result = try result(service)
    #expect(result.jobs.first?[.enabled] == .word("false"))
    #expect(result.report.losses(.changesRun).count == 1, "\(result.lost)")
  }

  @Test(arguments: [
    "RootDirectory=/", "RootDirectory=/srv\nRootDirectory=", "StandardInput=null",
    "StandardInput=data\nStandardInputText=a", "ExecSearchPath=",
  ])
  func `a job with the same ones is not`(service: String) throws {
    let result = try result(service)
    #expect(result.jobs.first?[.enabled] == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `ExecSearchPath becomes PATH`() throws {
    let result = try result("ExecSearchPath=/opt/bin:/usr/bin\nExecSearchPath=/bin")
    let job = try #require(result.jobs.first)
    #expect(job[.environment] == .mapping(["PATH": .text("/opt/bin:/usr/bin:/bin")]))
    #expect(job[.run] == .list([.text("work"), .text("-a")]))
    #expect(job[.enabled] == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }
}
