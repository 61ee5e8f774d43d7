import Foundation
import Testing

@testable import takt

/// Input of an operator on call: several jobs at once, names half known, times of day.
@Suite(.ownThreads) struct OperatorCommandTests {
  private static let jobs = """
    scheduler: {timezone: Europe/Berlin}
    jobs:
      one: {cron: '@yearly', run: 'echo 1', tags: [night]}
      two: {cron: '@yearly', run: 'echo 2; exit 3', tags: [night, big]}
      three: {cron: '@yearly', run: 'echo begun; sleep 1000'}

    """

  @Test func `several jobs, those with a tag, and all are suspended and resumed`() throws {
    let live = try LiveTakt(Self.jobs)
    let two = try live.takt("suspend", "one", "three", "--for", "2h")
    #expect(two.status == 0)
    let lines = two.output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("one is suspended until "))
    // In the zone of the file.
    #expect(lines.allSatisfy { $0.hasSuffix("+01:00") || $0.hasSuffix("+02:00") }, "\(two.output)")
    let tagged = try live.takt("resume", "--tag", "night")
    #expect(tagged.output.split(separator: "\n").map { $0.prefix(4) } == ["one:"], "\(tagged)")
    let none = try live.takt("resume", "--tag", "night")
    #expect(none.status == 2 && none.errors.contains("none of the jobs is suspended"))
    #expect(try live.takt("suspend", "--all", "--until", "tomorrow 06:00").status == 0)
    let page = try live.takt("status", "--only", "suspended").output
    #expect(page.split(separator: "\n").count == 5, "\(page)")
    let all = try live.takt("resume", "--all", "--yes")
    #expect(all.status == 0 && all.output.split(separator: "\n").count == 3)
    #expect(try live.takt("suspend", "--tag", "nigth").status == 64)
    #expect(try live.takt("suspend", "one", "--all").status == 64)
    // It is done for those that exist.
    let some = try live.takt("suspend", "one", "four", "two")
    #expect(some.status == 64 && some.errors.contains("there is no job 'four'"))
    #expect(some.output.split(separator: "\n").count == 2)
    #expect(try live.process.stop() == 0)
  }

  @Test func `a job that only runs by hand is shown as one, and runs when triggered`() throws {
    let live = try LiveTakt("jobs: {a: {on: manual, run: echo done}}\n")
    #expect(try live.takt("status").output.contains("\na    idle   by hand  "))
    let shown = try live.takt("status", "a").output
    #expect(shown.contains("  only by hand\n") && shown.contains("next slot: none"), "\(shown)")
    #expect(try live.takt("next").output == "a  only by hand\n")
    #expect(try live.takt("explain", "a").output.hasPrefix("only by hand\n"))
    let job = try live.object("GET", "/api/v1/jobs/a")
    #expect(job["schedule"] as? String == "on manual" && job["state"] as? String == "idle")
    #expect(try live.takt("trigger", "a", "--wait").status == 0)
    #expect(try live.takt("simulate", "--for", "1d").status == 0)
    let crontab = try live.takt("export", "--to", "crontab")
    #expect(crontab.errors.contains("cron has no jobs that only run by hand"), "\(crontab)")
    let units = try live.takt("export", "--to", "systemd").output
    #expect(units.contains("a.service") && !units.contains("a.timer"), "\(units)")
    try live.folder.write("jobs: {a: {every: 1h, run: echo done}}\n")
    let plan = try live.takt("plan").output
    #expect(plan.contains("manual") && plan.contains("1h"), "\(plan)")
    #expect(try live.takt("reload").status == 0)
    #expect(try live.takt("status").output.contains("waiting"))
    #expect(try live.takt("verify").status == 0)
    #expect(try live.process.stop() == 0)
  }

  @Test func `a wrong value says how its command goes`() throws {
    let folder = try TemporaryFolder(Self.jobs)
    for (arguments, message) in [
      (["once", "--at", "teatime", "--", "true"], "'teatime' is none"),
      (["once", "--at", "2200-12-31T23:59-05:00", "--", "true"], "is not between 1970 and 2200"),
      (
        ["once", "--at", "18:00", "--name", "ünï", "--", "true"],
        "'ünï' is not a valid job name; use 1 to 128 letters"
      ),
      (
        ["once", "--at", "18:00", "--timeout", "99999d", "--", "true"],
        "'timeout' is longer than 100 years"
      ),
      (["explain", "one", "--after", "teatime"], "'teatime' is none"),
      (["explain", "one", "--timezone", "UTC"], "--timezone is for --cron and --calendar"),
      (["explain", "one", "--days", "any"], "--days needs --cron"),
      (["simulate", "--from", "teatime"], "'teatime' is none"),
    ] as [([String], String)] {
      let takt = try folder.takt(arguments)
      #expect(takt.status == 64)
      #expect(takt.errors.contains(message), "\(takt.errors)")
      #expect(takt.errors.contains("\nUsage: takt \(arguments[0]) "), "\(takt.errors)")
      #expect(takt.errors.contains("See 'takt \(arguments[0]) --help'"), "\(takt.errors)")
    }
  }

  @Test func `once takes a command of many arguments as it is`() throws {
    let words = ["sh", "-c", "x", "--", "--at", "-h"] + (0..<50_000).map { "word\($0)" }
    let command = try Takt.parsed(["once", "--at", "18:00", "--"] + words)
    let once = try #require(command as? OnceCommand)
    #expect(once.command == words && once.at == "18:00")
    #expect(throws: (any Error).self) {
      _ = try Takt.parsed(["once", "x", "--at", "18:00", "--", "true"])
    }
  }

  @Test(arguments: ["next", "explain"])
  func `a command that cannot read the ledger counts from now and says so`(command: String) throws {
    let folder = try TemporaryFolder(Self.jobs)
    func errors() throws -> String {
      let takt = try folder.takt([command, "one"])
      #expect(takt.status == 0)
      return takt.errors
    }
    #expect(try errors() == "")
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent(".takt"), withIntermediateDirectories: true)
    try folder.write(String(repeating: "no ledger. ", count: 1000), to: ".takt/ledger.sqlite")
    let note = try errors()
    #expect(note.hasPrefix("takt: cannot continue from the ledger: "), "\(note)")
    #expect(note.contains("Intervals are counted from now"))
    #expect(note.split(separator: "\n").count == 1, "\(note)")
  }

  @Test func `several jobs are triggered, waited for and cancelled`() throws {
    let live = try LiveTakt(Self.jobs)
    let both = try live.takt("trigger", "--tag", "night", "--wait")
    #expect(both.status == 3, "\(both)")
    #expect(both.output == "1\n2\n")
    #expect(try live.takt("trigger", "three", "one").output.split(separator: "\n").count == 2)
    try live.process.line("its output") { $0.line == "begun" }
    let cancel = try live.takt("cancel", "--all", "--yes")
    #expect(cancel.status == 0 && cancel.output.contains("three: cancelled run "), "\(cancel)")
    try live.process.line("its end") { $0.job == "three" && $0.to == "ended" }
    let again = try live.takt("cancel", "--all", "--yes")
    #expect(again.status == 1 && again.errors.contains("is active or waiting"))
    #expect(try live.process.stop() == 0)
  }

  @Test func `all jobs are asked about on a terminal`() throws {
    let live = try LiveTakt(Self.jobs)
    for (answer, count) in [("n", 2), ("y", 5)] {
      let shell = try live.folder.takt(
        [
          "-c",
          "echo \(answer) | script -qec '\(TaktProcess.executable.path) suspend --all' /dev/null",
        ], program: "/bin/sh")
      _ = shell.status
      #expect(shell.output.contains("Suspend all 3 jobs? [y/N]"), "\(shell.output)")
      let shown = try live.takt("status", "--only", "suspended").output.split(separator: "\n")
      #expect(shown.count == count, "\(shown)")
    }
    #expect(try live.process.stop() == 0)
  }

  @Test(arguments: [
    ("runs --since 18:00", 0), ("runs --since 2026-11-22T18:00", 0), ("runs --since 1d", 0),
    ("runs --since 'yesterday 06:00'", 0), ("runs --since tomorrow", 0), ("runs --since soon", 64),
    ("verify --since '2026-11-22 18:00'", 0), ("suspend one --until 18:00", 0),
    ("suspend one --until 2099-11-22T18:00", 0), ("suspend one --until 2099-11-22", 64),
    ("trigger one --slot 2026-11-22T18:00", 0), ("explain one --after 'tomorrow 06:00'", 0),
    ("simulate --from 'tomorrow 06:00' --for 1h", 0), ("why one --at 18:00", 0),
  ])
  func `every option takes every form of an instant`(command: String, status: Int32) throws {
    let live = try LiveTakt(Self.jobs)
    #expect(try live.takt("trigger", "one", "--wait").status == 0)
    let shell = try live.folder.takt(
      ["-c", "\(TaktProcess.executable.path) \(command)"], program: "/bin/sh")
    #expect(shell.status == status, "\(command): \(shell.errors)")
    if status == 64 {
      #expect(shell.errors.contains("such as 2026-12-24T18:00, 18:00 or 'tomorrow 06:00'"))
    }
    #expect(try live.process.stop() == 0)
  }

  @Test func `people get local times with their offset, programs get UTC`() throws {
    let folder = try TemporaryFolder(
      "scheduler: {timezone: Asia/Kolkata}\n"
        + "jobs: {a: {cron: '0 3 * * *', until: 2098-12-31T23:00Z, run: 'true'}}\n")
    let explain = try TaktProcess(["explain", "a"], in: folder)
    #expect(try explain.text().contains("not after 2099-01-01T04:30:00.000+05:30"))
    for command in [["next"], ["explain", "a"]] {
      let text = try TaktProcess(command, in: folder)
      #expect(try text.text().contains("T03:00:00.000+05:30"))
      let json = try folder.takt(command + ["--json"])
      #expect(
        json.output.contains("T21:30:00.000Z") && !json.output.contains("+05:30"), "\(json.output)")
    }
  }

  @Test func `a command that does not exist is answered with the nearest one`() throws {
    let folder = try TemporaryFolder()
    for (words, hint) in [
      (["statu"], "there is no command 'statu'; did you mean 'status'?"),
      (["plugins", "lst"], "takt plugins: there is no command 'lst'; did you mean 'list'?"),
      (["list"], "there is no command 'list'; 'takt status' lists the jobs"),
      (["ps"], "'takt status --only running' lists the jobs that run"),
      (["stop"], "'takt cancel JOB' ends the runs of a job"),
      (["start", "backup"], "'takt trigger JOB' runs a job now"),
      (["disable", "backup"], "'takt suspend JOB' stops a job's schedule"),
      (["version"], "there is no command 'version'; 'takt --version' prints it"),
      (["frobnicate"], "there is no command 'frobnicate'; see 'takt --help'"),
    ] {
      let takt = try folder.takt(words)
      #expect(takt.status == 64 && takt.errors.contains(hint), "\(takt.errors)")
    }
  }

  @Test func `the state of a filter is answered with the nearest one`() throws {
    let live = try LiveTakt(Self.jobs)
    let wrong = try live.takt("status", "--only", "runing")
    #expect(wrong.status == 64 && wrong.errors.contains("Did you mean 'running'?"), "\(wrong)")
    #expect(try live.process.stop() == 0)
  }

  @Test(arguments: ["suspend", "status", "why", "logs"])
  func `job names are completed from the running daemon, and from the file`(command: String) throws
  {
    let live = try LiveTakt(Self.jobs)
    let words = ["---completion", command, "--", "positional@0", "2", "1", "takt", command, "t"]
    func complete() throws -> [Substring] {
      let takt = try TaktProcess(words, in: live.folder)
      return try takt.text().split(separator: "\n")
    }
    // The daemon does not know this file.
    try live.folder.write("jobs: {ten: {every: 1h, run: 'true'}}\n")
    #expect(try complete().sorted() == ["three", "two"])
    #expect(try live.process.stop() == 0)
    #expect(try complete() == ["ten"])
  }

  @Test func `status of one job leads with what its file says`() throws {
    let live = try LiveTakt(
      """
      jobs:
        a:
          description: Nightly dump
          cron: "0 3 * * *"
          timeout: 10m
          run: |
            set -e
            pg_dump -W --password=hunter2 app

      """)
    let empty = try live.takt("status", "a").output
    #expect(
      empty.hasPrefix("a: waiting: Nightly dump\n  when     cron 0 3 * * *: at 03:00"), "\(empty)")
    #expect(empty.contains("\n  run      set -e\n           pg_dump -W --password=*** app\n"))
    #expect(empty.contains("\n  timeout  10m\n"))
    for word in ["qos", "overlap", "leeway", "kill", "hunter2"] { #expect(!empty.contains(word)) }
    #expect(empty.contains("\nlast run: none yet\nnext slot: "))
    #expect(try live.process.stop() == 0)
  }

  @Test func `what does not fit on the screen leaves the first lines`() {
    let table =
      Array(
        (["JOB  STATE"] + (1...50).map { "job-\($0)  waiting" })
          .joined(separator: "\n").utf8) + [UInt8(ascii: "\n")]
    let shown = String(decoding: Screen.fit(table, height: 24), as: UTF8.self)
      .split(separator: "\n")
    #expect(shown.count == 23 && shown.first == "JOB  STATE")
    #expect(shown.last == "… 29 more lines; --only and --match show fewer jobs")
    #expect(Screen.fit(table, height: 100) == table)
  }
}

/// `takt check`.
@Suite(.ownThreads) struct CheckCommandTests {
  @Test func `warnings fail a strict check only`() throws {
    let folder = try TemporaryFolder("jobs: {a: {cron: '* 3 * * *', run: no-such-program}}\n")
    let check = try TaktProcess(["check"], in: folder)
    #expect(try check.text() == "jobs.yaml: ok, 1 job, 2 warnings\n")
    #expect(check.waitForExit() == 0 && check.errors.contains("start with '0 3'"))
    let strict = try TaktProcess(["check", "--strict"], in: folder)
    #expect(try strict.text() == "")
    #expect(strict.waitForExit() == 78)
    #expect(strict.errors.contains("jobs.yaml has 2 warnings, which --strict does not allow"))
    try folder.write("jobs: {a: {every: 1h, run: 'true'}}\n")
    let good = try TaktProcess(["check", "--strict"], in: folder)
    #expect(try good.text() == "jobs.yaml: ok, 1 job\n" && good.waitForExit() == 0)
  }
}
