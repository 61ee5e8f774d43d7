import Foundation
import Glibc
import Testing

@testable import takt

/// An operator's day: commands for a running daemon, and the messages for mistakes.
@Suite(.ownThreads) struct OperatorDayTests {
  private static let jobs = """
    jobs:
      slow: {cron: '@yearly', run: 'echo begun; sleep 1000', tags: [night]}
      quick: {cron: '@yearly', run: 'true', tags: [night]}

    """

  private func sh(_ script: String, in folder: TemporaryFolder) throws -> TaktAnswer {
    let text = script.replacingOccurrences(of: "takt ", with: "\(TaktProcess.executable.path) ")
    return try folder.takt(["-c", text], program: "/bin/sh")
  }

  @Test func `a suspended job with an active run is shown as such, found and resumed`() throws {
    let live = try LiveTakt(Self.jobs)
    #expect(try live.takt("trigger", "slow").status == 0)
    try live.process.line("its output") { $0.line == "begun" }
    for words in [["--all", "--yes"], ["--tag", "night"]] {
      #expect(try live.takt("suspend", "slow").status == 0)
      #expect(try live.takt("status").output.contains("running, suspended"))
      #expect(try live.takt("status", "slow").output.hasPrefix("slow: running, suspended\n"))
      let only = try live.takt("status", "--only", "suspended").output
      #expect(only.contains("slow") && !only.contains("quick"), "\(only)")
      let command = try TaktProcess(["resume"] + words, in: live.folder)
      #expect(try command.text().hasPrefix("slow: running"))
      #expect(command.waitForExit() == 0)
      #expect(!(try live.takt("status").output.contains("suspended")))
    }
    live.process.signal(SIGQUIT)
    try live.process.readToEnd()
  }

  @Test func `the daemon is compared with the file that is named`() throws {
    let live = try LiveTakt("jobs: {a: {every: 1h, run: echo old}}\n")
    try live.folder.write("jobs: {a: {every: 1h, run: echo new}}\n", to: "other.yaml")
    let plan = try live.takt("plan", "other.yaml")
    #expect(plan.status == 0, "\(plan.errors)")
    #expect(plan.output.contains("    run: echo old → echo new\n"), "\(plan.output)")
    #expect(plan.errors.contains("/jobs.yaml → other.yaml"))
    let json = try live.takt("plan", "other.yaml", "-f", "jobs.yaml", "--json")
    #expect(json.output.contains(#""to":"echo new""#), "\(json)")
    #expect(try live.takt("plan", "jobs.yaml").output.hasPrefix("1 kept"))
    try live.folder.write("jobs: {a: {evry: 1h, run: echo new}}\n", to: "other.yaml")
    let wrong = try live.takt("plan", "other.yaml")
    #expect(wrong.status == 78 && wrong.errors.contains("other.yaml:1:12: error:"), "\(wrong)")
    let none = try live.takt("plan", "none.yaml")
    #expect(none.status == 78 && none.errors.contains("there is no jobs file none.yaml"))
    #expect(try live.process.stop() == 0)
  }

  @Test(arguments: [
    "status -f nosuch.yaml", "why a -f nosuch.yaml", "runs -f nosuch.yaml",
    "logs a --file nosuch.yaml", "suspend a -f nosuch.yaml",
  ])
  func `a jobs file that is not there is no name for another's state`(command: String) throws {
    let live = try LiveTakt("jobs: {a: {every: 1h, run: 'true'}}\n")
    let answer = try sh("takt \(command)", in: live.folder)
    #expect(answer.status == 78 && answer.output == "", "\(answer)")
    #expect(answer.errors.contains("there is no jobs file nosuch.yaml"))
    // Without its name the daemon is found, even if its file is gone.
    try FileManager.default.removeItem(at: live.folder.url.appendingPathComponent("jobs.yaml"))
    #expect(try live.takt("status").status == 0)
    #expect(try live.process.stop() == 0)
  }

  @Test func `a parameter of http may be given without those that have defaults`() throws {
    let live = try LiveTakt(
      "jobs: {h: {cron: '@yearly', use: http, with: {url: 'http://127.0.0.1:9/'}}}\n")
    let started = try live.takt("trigger", "h", "--with", "timeout=5s")
    #expect(started.status == 0, "\(started.errors)")
    let wrong = try live.takt("trigger", "h", "--force", "--with", "retries=3")
    #expect(wrong.status == 64, "\(wrong)")
    #expect(wrong.errors.contains("'retries' of 'http': has no effect without 'retry_status'"))
    #expect(try live.process.stop() == 0)
  }

  @Test(arguments: ["logs -f slow 2>&1", "status -w", "status slow -w"])
  func `a command that follows ends when nobody reads it any more`(command: String) throws {
    let live = try LiveTakt(Self.jobs)
    #expect(try live.takt("trigger", "slow").status == 0)
    try live.process.line("its output") { $0.line == "begun" }
    // Nothing more is printed: only the closed pipe ends it.
    let answer = try sh("takt \(command) | head -1", in: live.folder)
    #expect(answer.output.split(separator: "\n").count == 1, "\(answer)")
    live.process.signal(SIGQUIT)
    try live.process.readToEnd()
  }

  @Test func `watching the status wipes nothing that can be scrolled back to`() throws {
    let live = try LiveTakt(Self.jobs)
    let shown = try sh(
      """
      script -qefc 'exec takt status -w' shown > /dev/null 2>&1 < /dev/null & pid=$!
      until grep -q quick shown 2> /dev/null; do kill -0 $pid || exit 9; sleep 0.05; done
      kill $pid; wait $pid; cat shown
      """, in: live.folder)
    #expect(shown.output.contains("\u{1b}[H\u{1b}[JJOB"), "\(shown)")
    #expect(!shown.output.contains("\u{1b}[3J") && !shown.output.contains("\u{1b}[2J"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `keys that need a restart are marked, until there is one`() throws {
    let live = try LiveTakt("jobs: {a: {every: 1h, run: 'true'}}\n")
    try live.folder.write(
      "scheduler: {max_running: 3, http: {listen: 0}}\njobs: {a: {every: 1h, run: 'true'}}\n")
    func expect(_ output: String) {
      #expect(
        output.contains("~ scheduler.http: none → 127.0.0.1:0  (needs a restart)\n"), "\(output)")
    }
    let plan = try live.takt("plan").output
    expect(plan)
    #expect(plan.contains(" → 3\n"))
    #expect(try live.takt("plan", "--json").output.contains(#""needs_restart":["http"]"#))
    let reload = try live.takt("reload").output
    expect(reload)
    try live.process.line("the log") { $0.message == "'http' changed, which needs a restart" }
    let after = try live.takt("plan").output
    expect(after)
    #expect(!after.contains("max_running"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `a future slot is shown, with the conditions that may delay it`() throws {
    let live = try LiveTakt(
      """
      jobs:
        a: {cron: '0 6 * * *', run: 'true', except: '*-12-25'}
        once: {cron: '0 6 * * *', run: 'true', limit: 1}
        often: {every: 1s, run: 'true', only_if: {run: 'true'}}

      """)
    let to = try live.takt("why", "a", "--at", "tomorrow 06:00")
    #expect(to.status == 0 && to.output.contains(": to come\n  It will run at "), "\(to)")
    #expect(try live.takt("suspend", "a", "--reason", "the disk").status == 0)
    let held = try live.takt("why", "a", "--at", "tomorrow 06:00").output
    #expect(held.contains("the job is suspended until 'takt resume' (the disk)."), "\(held)")
    let none = try live.takt("why", "a", "--at", "tomorrow 07:00").output
    #expect(none.contains("a will have no slot at ") && none.contains("next slot after"), "\(none)")
    // A day that contains now has slots of both kinds.
    let today = try live.takt("why", "often", "--at", "today").output
    #expect(today.contains(": to come\n  It will run at "), "\(today)")
    #expect(today.contains(", if its condition (only_if) holds then."), "\(today)")
    let empty = try live.takt("why", "a", "--at", "2020-01-01", "--json")
    #expect(empty.output.isEmpty && empty.errors.contains("a has no slot from 2020-01-01T00:00"))
    let late = try live.takt("why", "once", "--at", "2098-01-01T06:00").output
    #expect(late.contains("by then the job will have run as often as its 'limit' of 1"), "\(late)")
    let excluded = try live.takt("why", "a", "--at", "2098-12-25T06:00").output
    #expect(excluded.contains("it is in a time that 'except' leaves out"), "\(excluded)")
    #expect(try live.process.stop() == 0)
    let json = try live.takt("why", "a", "--at", "tomorrow 06:00", "--json").output
    #expect(json.contains("takt is not running now") && json.contains(#""due":""#), "\(json)")
  }

  @Test func `slots to come are those of the running daemon, whatever the file says by now`() throws
  {
    let live = try LiveTakt("jobs: {a: {cron: '0 6 * * *', run: 'true', leeway: 5m}}\n")
    try live.folder.write(
      "jobs: {a: {cron: '0 7 * * *', run: x}, b: {cron: '0 8 * * *', run: x}}\n")
    let loaded = try live.takt("why", "a", "--at", "tomorrow 06:00").output
    #expect(loaded.contains(": to come\n  It will run at "), "\(loaded)")
    #expect(loaded.contains("or up to 5m later (leeway) (cron)."), "\(loaded)")
    let notYet = try live.takt("why", "a", "--at", "tomorrow 07:00").output
    #expect(notYet.contains("a will have no slot at "), "\(notYet)")
    let added = try live.takt("why", "b", "--at", "tomorrow 08:00").output
    #expect(
      added.contains("The running daemon does not have the job yet. Run 'takt reload' to load it."),
      "\(added)")
    // A file that cannot be read hides nothing that the daemon knows.
    try live.folder.write("jobs: [\n")
    #expect(try live.takt("why", "a", "--at", "tomorrow 06:00").output == loaded)
    #expect(try live.takt("why", "c", "--at", "tomorrow 06:00").status == 64)
    #expect(try live.process.stop() == 0)
  }

  @Test func `what is refused for one of several jobs is said with its name`() throws {
    let live = try LiveTakt(Self.jobs)
    let resumed = try live.takt("resume", "slow", "quick")
    #expect(resumed.status == 2)
    #expect(
      resumed.errors
        == "takt: job 'slow' is not suspended\ntakt: job 'quick' is not suspended\n")
    #expect(try live.takt("trigger", "slow").status == 0)
    let again = try live.takt("trigger", "slow", "quick")
    #expect(again.status == 75 && again.output.contains("of quick"))
    #expect(again.errors.contains("run 1 of job 'slow' has not ended"), "\(again.errors)")
    #expect(again.errors.contains("--force") && !again.errors.contains("in the body"))
    let cancel = try live.takt("cancel", "quick", "none")
    #expect(cancel.errors.contains("no run of 'quick' is active"), "\(cancel.errors)")
    #expect(cancel.errors.contains("'none'"))
    live.process.signal(SIGQUIT)
    try live.process.readToEnd()
  }

  @Test func `status of one job names its hooks, variables and secrets`() throws {
    let live = try LiveTakt(
      """
      jobs:
        a:
          cron: '@yearly'
          run: 'true'
          env: {LEVEL: info, DB_PASSWORD: hunter2}
          secrets: {KEY: {file: key}}
          on_failure: {run: 'mail -s failed root'}

      """)
    let text = try live.takt("status", "a").output
    for line in [
      "env.LEVEL ", "  info\n", "env.DB_PASSWORD    ***\n", "secrets.KEY ", "/key\n",
      "on_failure[1].run  mail -s failed root\n",
    ] {
      #expect(text.contains(line), "\(line) in \(text)")
    }
    #expect(!text.contains("hunter2"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `a daemon that hangs is named after two seconds, and waited for`() throws {
    let live = try LiveTakt(Self.jobs)
    live.process.signal(SIGSTOP)
    let status = try TaktProcess(["status"], in: live.folder)
    let deadline = Date() + TaktProcess.patience
    while status.errors.isEmpty, Date() < deadline { usleep(20_000) }
    live.process.signal(SIGCONT)
    #expect(
      status.errors.contains(
        "takt (pid \(live.process.pid)) is stopped and does not answer; 'kill "),
      "\(status.errors)")
    #expect(try status.text().contains("quick"))
    #expect(status.waitForExit() == 0)
    #expect(try live.process.stop() == 0)
  }

  @Test func `a stop is seen in the status, and one stopping run is one`() throws {
    let live = try LiveTakt(
      """
      scheduler: {shutdown_grace: 1h}
      jobs:
        deaf: {on: start, kill: {grace: 1h}, run: "trap '' TERM; echo deaf; while :; do sleep 1; done"}
        other: {on: start, kill: {grace: 2h}, run: "trap '' TERM; echo other; while :; do sleep 1; done"}

      """)
    for word in ["deaf", "other"] where !live.process.lines.contains(where: { $0.line == word }) {
      try live.process.line("the output") { $0.line == word }
    }
    #expect(try live.takt("cancel", "deaf").status == 0)
    let one = try live.takt("status").output
    #expect(one.contains("deaf   stopping ") && !one.contains("1 stopping"), "\(one)")
    live.process.signal(SIGTERM)
    try live.process.line("the stop") { $0.message?.hasPrefix("stopping; no new") == true }
    #expect(
      try live.takt("status").output.contains("takt is stopping: no new runs; it waits up to 1h"))
    live.process.signal(SIGTERM)
    let words = try live.process.line("the graces") {
      $0.message?.hasPrefix("stopping active") == true
    }
    #expect(
      words.message?.contains("Each is killed after its own kill.grace, the last after 2h") == true)
    live.process.signal(SIGTERM)
    try live.process.readToEnd()
    #expect(live.process.waitForExit() == 0)
  }
}

/// Commands of a user who does not own the daemon.
@Suite(.enabled(if: geteuid() == 0, "another user takes root"), .ownThreads)
struct ForeignStateTests {
  private static let asNobody = ["--reuid=65534", "--regid=65534", "--clear-groups"]

  private func nobody(_ words: [String], in folder: TemporaryFolder) throws -> TaktAnswer {
    try folder.takt(
      Self.asNobody + [TaktProcess.executable.path] + words, program: "/usr/bin/setpriv")
  }

  @Test func `another user's takt is no takt that does not run`() throws {
    let live = try LiveTakt("jobs: {a: {every: 1h, run: 'true'}}\n")
    for command in [["status"], ["suspend", "a"], ["plan"]] {
      let answer = try nobody(command, in: live.folder)
      #expect(answer.status == 77, "\(answer.errors)")
      #expect(
        answer.errors.hasPrefix("takt: no permission: \(live.folder.url.path)/.takt belongs to "))
      #expect(answer.errors.contains("Run the command as root, or name "), "\(answer.errors)")
    }
    for command in [["runs"], ["why", "a"], ["logs", "a"], ["verify"]] {
      let answer = try nobody(command, in: live.folder)
      #expect(
        answer.status == 66 && answer.errors.contains("no permission: "),
        "\(command) \(answer.errors)")
    }
    #expect(try live.process.stop() == 0)
  }

  @Test func `another user's link leads no command to this user's takt`() throws {
    let live = try LiveTakt("jobs: {a: {every: 1h, run: 'true'}}\n")
    let state = live.folder.url.path + "/.takt"
    let folder = try TemporaryFolder("jobs: {a: {every: 1h, run: 'true'}}\n")
    let link = folder.url.path + "/.takt"
    #expect(symlink(state, link) == 0 && lchown(link, 65_534, 65_534) == 0)
    for command in [["status"], ["suspend", "a"], ["reload"], ["runs"], ["verify"]] {
      let answer = try folder.takt(command)
      #expect(answer.status == 77, "\(command) \(answer)")
      #expect(answer.errors.hasPrefix("takt: \(link) is a link of user nobody and leads to the "))
      let file = "whose daemon runs \(live.folder.url.path)/jobs.yaml. If you mean that one, name "
      #expect(["runs", "verify"].contains(command[0]) || answer.errors.contains(file), "\(answer)")
    }
    #expect(try folder.takt("status", "--state", state).status == 0)
    let file = folder.url.path + "/jobs.yaml"
    #expect(unlink(file) == 0 && symlink(live.folder.url.path + "/jobs.yaml", file) == 0)
    #expect(try folder.takt("suspend", "a").status == 0, "root has made the link to the file")
    #expect(lchown(file, 65_534, 65_534) == 0)
    let above = folder.url.path + "/above"
    #expect(symlink(live.folder.url.path, above) == 0 && lchown(above, 65_534, 65_534) == 0)
    for file in [file, above + "/jobs.yaml"] {
      for command in ["resume", "runs"] {
        let answer = try folder.takt(command, "a", "-f", file)
        #expect(answer.status == 77, "\(command) \(file) \(answer)")
      }
    }
    #expect(unlink(file) == 0)
    try folder.write("jobs: {a: {every: 1h, run: 'true'}}\n")
    #expect(lchown(link, 0, 0) == 0)
    #expect(try folder.takt("status").status == 0, "root's own link leads where root wants")
    #expect(try live.process.stop() == 0)
  }

  @Test(arguments: [0o700, 0o755] as [mode_t])
  func `a second takt of another user is refused in the same folder`(mode: mode_t) throws {
    let live = try LiveTakt("jobs: {a: {every: 1h, run: 'true'}}\n")
    chmod(live.folder.url.path + "/.takt", mode)
    let answer = try nobody(["run"], in: live.folder)
    #expect(answer.status == 73 && answer.errors.contains("is owned by user 0"), "\(answer.errors)")
    #expect(try live.process.stop() == 0)
  }
}
