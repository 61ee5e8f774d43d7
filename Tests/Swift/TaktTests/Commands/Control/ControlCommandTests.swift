import Foundation
import Testing

@Suite(.ownThreads) struct ControlCommandTests {
  private static let jobs = """
    jobs:
      quick: {cron: '@yearly', run: 'echo hello $TAKT_PARAM_WHO', tags: [greeting]}
      wrong: {cron: '@yearly', run: 'echo oh no; exit 7'}
      killed: {cron: '@yearly', run: 'kill -9 $$'}
      late: {cron: '@yearly', run: sleep 100, timeout: 200ms}
      absent: {cron: '@yearly', run: [/no/such/program]}
      slow: {cron: '@yearly', run: 'echo begun; sleep 1000'}
      touch: {cron: '@yearly', use: touch, with: {path: made}}
      beat: {every: 500ms, run: echo beat}

    """

  @Test func `a run that is triggered and waited for gives its own exit status`() throws {
    let live = try LiveTakt(Self.jobs)
    let quick = try live.takt("trigger", "quick", "--with", "who=you", "--wait")
    #expect(quick.status == 0 && quick.output == "hello you\n", "\(quick)")
    #expect(quick.errors.contains("succeeded, exit(0)"))
    #expect(try live.takt("runs", "quick", "--long").output.contains("who=you"))
    #expect(try live.takt("logs", "quick").errors.contains("succeeded, exit(0), with who=you"))
    for (job, status) in [("wrong", 7), ("killed", 137), ("late", 124), ("absent", 127)] {
      let run = try live.takt("trigger", job, "--wait")
      #expect(run.status == status, "\(job): \(run)")
    }
    let json = try live.takt("trigger", "wrong", "--wait", "--json")
    #expect(json.status == 7 && json.output.contains(#""outcome":"failed""#))
    #expect(try live.process.stop() == 0)
  }

  @Test func `an answer that cannot be written is a failure`() throws {
    let live = try LiveTakt(Self.jobs)
    #expect(try live.takt("trigger", "quick", "--wait").status == 0)
    for words in ["status", "status quick", "logs quick", "--version", "status --help"] {
      for (output, error) in [
        ("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor"),
      ] {
        let shell = try live.folder.takt(
          ["-c", "\(TaktProcess.executable.path) \(words) \(output)"], program: "/bin/sh")
        #expect(shell.status == 74, "\(words) \(output)")
        #expect(shell.errors.contains("cannot write: \(error)"), "\(words) \(output)")
      }
    }
    #expect(try live.process.stop() == 0)
  }

  @Test func `parameters of a built-in are checked, and stand in place of the job's`() throws {
    let live = try LiveTakt(Self.jobs)
    let wrong = try live.takt("trigger", "touch", "--with", "pth=/x")
    #expect(wrong.status == 64 && wrong.errors.contains("did you mean 'path'?".capitalizedFirst))
    let path = live.folder.url.appendingPathComponent("elsewhere").path
    #expect(try live.takt("trigger", "touch", "--with", "path=\(path)", "--wait").status == 0)
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try live.process.stop() == 0)
  }

  @Test func `status shows how jobs stand, as a table that fits, as JSON, and of one job`() throws {
    let live = try LiveTakt(Self.jobs)
    #expect(try live.takt("trigger", "wrong", "--wait").status == 7)
    let table = try live.takt("status")
    #expect(table.status == 0)
    let lines = table.output.split(separator: "\n")
    #expect(lines.last?.hasPrefix("processes tracked by ") == true)
    #expect(lines.count == 12 && lines.allSatisfy { $0.count <= 120 }, "\(table.output)")
    #expect(lines.first?.hasPrefix("! wrong has failed since 2") == true, "\(table.output)")
    #expect(lines.dropFirst(2).first?.hasPrefix("wrong ") == true, "\(table.output)")
    #expect(lines.suffix(2).first == "8 jobs, 1 failing", "\(table.output)")
    #expect(lines.contains { $0.hasPrefix("wrong ") && $0.contains("failed exit(7)") })
    let failing = try live.takt("status", "--only", "failing")
    #expect(failing.output.split(separator: "\n").count == 3)
    #expect(try live.takt("status", "--match", "greeting").output.contains("quick"))
    #expect(try live.takt("status", "--only", "nonsense").status == 64)
    let one = try live.takt("status", "wrong")
    #expect(one.output.contains("wrong: waiting") && one.output.contains("failed, exit(7)"))
    let json = try live.takt("status", "--json").output
    let page = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    #expect(page?["total"] as? Int == 8)
    #expect(try live.process.stop() == 0)
  }

  @Test func `a job that is suspended rests until it is resumed, across a restart too`() throws {
    let live = try LiveTakt(Self.jobs)
    try live.process.line("a beat") { $0.job == "beat" && $0.verdict == "ran" }
    let rest = try live.takt("suspend", "beat", "--for", "2h", "--reason", "the disk")
    #expect(rest.status == 0 && rest.output.hasPrefix("beat is suspended until "), "\(rest)")
    #expect(try live.takt("status", "beat").output.contains("the disk"))
    #expect(try live.process.stop() == 0)
    let again = try TaktProcess(["run"], in: live.folder)
    try again.line("the socket") { $0.message?.hasPrefix("the control socket is at") == true }
    #expect(try live.takt("status", "--only", "suspended").output.contains("beat"))
    #expect(try live.takt("resume", "beat").status == 0)
    try again.line("a beat") { $0.job == "beat" && $0.verdict == "ran" }
    let twice = try live.takt("resume", "beat")
    #expect(twice.status == 2 && twice.errors.contains("not suspended"))
    #expect(try again.stop() == 0)
    #expect(try live.takt("verify").status == 0)
  }

  @Test func `a run that is cancelled ends, and what there is not is said`() throws {
    let live = try LiveTakt(Self.jobs)
    #expect(try live.takt("trigger", "slow").output.contains("running"))
    try live.process.line("its output") { $0.line == "begun" }
    #expect(try live.takt("cancel", "slow").output.hasPrefix("cancelled: run "))
    let end = try live.process.line("its end") { $0.job == "slow" && $0.to == "ended" }
    #expect(end.outcome == "cancelled" && end.reason == "operator")
    #expect(try live.takt("cancel", "slow").status == 1)
    let ended = try live.takt("cancel", String(end.run ?? 0))
    #expect(ended.status == 1 && ended.errors.contains("has ended"))
    #expect(try live.takt("cancel", "99999").status == 64)
    #expect(try live.takt("trigger", "slwo").errors.contains("Did you mean 'slow'?"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `a job may be named by digits alone`() throws {
    let live = try LiveTakt(
      """
      jobs:
        '77': {cron: '@yearly', run: 'echo begun; sleep 1000'}
        '1': {cron: '@yearly', run: 'echo other; sleep 1000'}

      """)
    #expect(try live.takt("trigger", "77").status == 0)
    try live.process.line("its output") { $0.line == "begun" }
    #expect(try live.takt("cancel", "77").output == "cancelled: run 1\n")
    let end = try live.process.line("its end") { $0.job == "77" && $0.to == "ended" }
    #expect(end.reason == "operator")
    // Run 1 belonged to another job than the one named 1.
    #expect(try live.takt("trigger", "1").status == 0)
    try live.process.line("its output") { $0.line == "other" }
    #expect(try live.takt("trigger", "77").status == 0)
    try live.process.line("its output") { $0.line == "begun" }
    #expect(try live.takt("cancel", "1").output == "cancelled: run 2\n")
    #expect(try live.takt("cancel", "run:3").output == "cancelled: run 3\n")
    try live.process.line("its end") { $0.job == "77" && $0.to == "ended" }
    #expect(try live.process.stop() == 0)
    #expect(try live.takt("logs", "1").output == "other\n")
    #expect(try live.takt("logs", "run:1").output == "begun\n")
  }

  @Test func `a reload shows its plan, and a bad file its carets`() throws {
    let live = try LiveTakt(Self.jobs)
    try live.folder.write(Self.jobs + "  new: {every: 1h, run: 'true'}\n")
    let plan = try live.takt("reload")
    #expect(plan.status == 0 && plan.output.contains("+ new  added"), "\(plan)")
    #expect(plan.output.contains("8 kept, 0 updated, 0 rearmed, 1 added, 0 removed"))
    try live.folder.write(Self.jobs + "  new: {evry: 1h, run: 'true'}\n")
    let refused = try live.takt("reload")
    #expect(refused.status == 78)
    #expect(refused.errors.contains("jobs.yaml:10:9: error: unknown key 'evry'"))
    #expect(refused.errors.contains("\n          ^\n"), "\(refused.errors)")
    #expect(try live.takt("status").output.contains("new "))
    #expect(try live.process.stop() == 0)
  }

  @Test func `the address of the page is printed with its token, where there is a page`() throws {
    let live = try LiveTakt(Self.jobs, http: true)
    let open = try live.takt("open")
    #expect(open.output == "http://127.0.0.1:\(live.port)/#token=\(live.token)\n", "\(open)")
    let calendar = try live.takt("open", "--calendar")
    let prefix = "http://127.0.0.1:\(live.port)/calendar.ics?token="
    #expect(calendar.status == 0 && calendar.output.hasPrefix(prefix), "\(calendar)")
    #expect(!calendar.output.contains(live.token))
    #expect(try live.takt("open", "--calendar").output == calendar.output)
    let other = try live.takt("open", "--calendar", "--replace")
    #expect(other.output.hasPrefix(prefix) && other.output != calendar.output, "\(other)")
    #expect(try live.takt("open", "--replace").status == 64)
    #expect(try live.process.stop() == 0)
    let bare = try LiveTakt(Self.jobs)
    for arguments in [["open"], ["open", "--calendar"]] {
      let none = try bare.folder.takt(arguments)
      #expect(none.status == 64 && none.errors.contains("the web page is off"), "\(none)")
    }
    #expect(try bare.process.stop() == 0)
  }

  @Test func `logs follow a run to its end`() throws {
    let live = try LiveTakt(
      "jobs:\n  talk: {cron: '@yearly', run: 'for i in 1 2 3; do echo $i; sleep 0.3; done'}\n")
    let run = try live.object("POST", "/api/v1/jobs/talk/trigger")["run"] as? Int ?? 0
    let logs = try live.takt("logs", "--follow", String(run))
    #expect(logs.status == 0 && logs.output == "1\n2\n3\n", "\(logs)")
    #expect(try live.process.stop() == 0)
  }

  @Test func `without a daemon the commands say what to do, and exit with 69`() throws {
    let folder = try TemporaryFolder()
    for command in [["status"], ["trigger", "x"], ["reload"], ["open"]] {
      let takt = try folder.takt(command)
      #expect(takt.status == 69)
      #expect(takt.errors.contains("name the jobs file with -f"), "\(takt.errors)")
    }
    // The socket of a killed daemon does not answer, and does not block the next one.
    try folder.write("jobs:\n  a: {every: 1h, run: 'true'}\n")
    let killed = try TaktProcess(["run"], in: folder)
    try killed.line("the socket") { $0.message?.hasPrefix("the control socket is at") == true }
    killed.crash()
    let takt = try folder.takt("status")
    #expect(takt.status == 69 && takt.errors.contains("the daemon does not answer at"))
    let next = try TaktProcess(["run"], in: folder)
    try next.line("the socket") { $0.message?.hasPrefix("the control socket is at") == true }
    #expect(try next.stop() == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/.takt/control.sock"))
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
