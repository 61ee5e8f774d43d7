import TaktCore
import Testing

@testable import TaktImport

/// Settings whose loss would make another job: other programs or another input.
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
    "StandardInput=tty", "StandardInput=fd:x", "StandardInput=file:data", "StandardInput=file:/u",
    "StandardInput=file:/data\nStandardOutput=inherit",
    "StandardInput=file:/data\nStandardOutput=file:/data", "ExecSearchPath=opt",
    "Environment=PATH=/bin\nExecSearchPath=/opt",
  ])
  func `a job with other programs or another input is disabled`(service: String) throws {
    let result = try result(service)
    #expect(result.jobs.first?[.enabled] == .word("false"))
    #expect(result.report.losses(.changesRun).count == 1, "\(result.lost)")
  }

  @Test(arguments: [
    "RootDirectory=/", "RootDirectory=/srv\nRootDirectory=", "StandardInput=null",
    "StandardInput=data\nStandardInputText=a", "StandardInput=file:/data",
    "StandardInput=file:/dev/null", "ExecSearchPath=",
  ])
  func `a job with the same ones is not`(service: String) throws {
    let result = try result(service)
    #expect(result.jobs.first?[.enabled] == nil)
    #expect(result.lost.isEmpty, "\(result.lost)")
  }

  @Test func `each command reads the file of StandardInput`() throws {
    let result = try result(
      "StandardInput=file:/srv/in put\nStandardInputText=unread\nUser=anna\nEnvironment=A=b\n"
        + "ExecStartPre=/bin/prepare $$x ${A}\nExecStartPre=/bin/sh -c 'cat; cat'\n"
        + "ExecStopPost=/bin/tidy")
    let job = try #require(result.jobs.first)
    #expect(job[.stdin] == nil)
    let runs = try #require(job[.steps]).texts
    #expect(
      runs.filter { $0.hasPrefix("exec") } == [
        "exec /bin/prepare '$x' \"${A}\" <'/srv/in put'",
        "exec /bin/sh -c 'cat; cat' <'/srv/in put'", "exec work -a <'/srv/in put'",
      ], "\(runs)")
    let hook = try #require(job[.onSuccess]).texts
    #expect(hook.contains("exec /bin/tidy <'/srv/in put'"), "\(hook)")
    #expect(
      result.changed.contains(
        "StandardInput=file:/srv/in put: a shell opens it with the rights of 'anna', not of root"),
      "\(result.changed)")
  }

  @Test(arguments: [
    ("", "one\n"), ("StandardInput=data", "one\n"), ("StandardInput=null", nil),
    ("StandardInput=file:/data", nil),
  ])
  func `a text is read where it is the standard input`(line: String, stdin: String?) throws {
    let result = try result("\(line)\nStandardInputText=one")
    #expect(result.jobs.first?[.stdin] == stdin.map(DraftValue.text))
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
