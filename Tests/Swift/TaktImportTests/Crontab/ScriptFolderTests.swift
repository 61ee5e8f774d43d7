import TaktCore
import Testing

@testable import TaktImport

/// Lines that run the scripts of a folder.
@Suite struct ScriptFolderTests {
  @Test(
    arguments: [
      ("run-parts /etc/cron.daily", nil, nil),
      ("cd / && run-parts --report /etc/cron.daily", nil, nil),
      ("test -x /usr/sbin/anacron || { cd / && nice run-parts -v /etc/cron.daily; }", 10, nil),
      ("nice run-parts /etc/cron.daily", 10, nil),
      ("/usr/bin/nice -n 19 /usr/bin/run-parts /etc/cron.daily", 19, nil),
      ("nice -n5 run-parts /etc/cron.daily", 5, nil),
      ("nice --5 run-parts /etc/cron.daily", -5, nil),
      ("nice --adjustment=7 nice -19 run-parts /etc/cron.daily", 19, nil),
      ("ionice -c3 nice run-parts /etc/cron.daily", 10, "idle"),
      ("ionice -c 2 -n 7 run-parts /etc/cron.daily", nil, "best-effort:7"),
      ("ionice -c2 run-parts /etc/cron.daily", nil, "best-effort:4"),
    ] as [(String, Int?, String?)])
  func `the priorities of run-parts are read`(
    command: String, niceness: Int?, inputOutput: String?
  ) {
    let folder = ScriptFolder(command: command)
    #expect(folder?.path == "/etc/cron.daily")
    #expect(folder?.niceness == niceness)
    #expect(folder?.inputOutput == inputOutput)
  }

  @Test(arguments: [
    "nice cd / && run-parts /etc/cron.daily", "my-run-parts /etc/cron.daily",
    "nicerun-parts /etc/cron.daily", "nice -n x run-parts /etc/cron.daily",
    "ionice run-parts /etc/cron.daily", "ionice -c1 run-parts /etc/cron.daily",
    "timeout 60 run-parts /etc/cron.daily", "run-parts --test /etc/cron.daily",
    "run-parts /etc/cron.daily /etc/cron.hourly", "run-parts etc/cron.daily",
    "run-parts /etc/cron.daily; true", "/opt/ run-parts /etc/cron.daily",
  ])
  func `a command that does more stays as it is`(command: String) {
    #expect(ScriptFolder(command: command) == nil)
  }

  @Test(arguments: ["etc/cron.d/0hourly", "etc/anacrontab"])
  func `a script keeps its niceness and has no shell`(path: String) throws {
    let fixture = try ImportFixture()
    fixture.options.isSystem = true
    try fixture.write("", to: "etc/cron.hourly/one", isProgram: true)
    try fixture.write("", to: "usr/sbin/anacron", isProgram: true)
    let times = path.hasSuffix("anacrontab") ? "1 5 hourly" : "01 * * * * root"
    try fixture.write(
      "SHELL=/bin/bash\n\(times) nice run-parts /etc/cron.hourly\n", to: path)
    let result = fixture.run()
    #expect(result.report.isComplete)
    let jobs = try ImportFixture.load(result.text).jobs
    #expect(jobs.map(\.execution.nice) == [10])
    #expect(jobs.first?.execution.environment["SHELL"] == "/bin/bash")
  }
}
