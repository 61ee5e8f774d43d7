import FoundationEssentials
import Glibc
import Testing

@Suite(.ownThreads) struct StopTests {
  @Test func `TERM lets a run in progress end`() throws {
    let takt = try TaktProcess.running(
      "jobs: {slow: {on: start, run: 'echo begun; sleep 1; echo done'}}\n"
    ).process
    try takt.line("the run") { $0.line == "begun" }
    #expect(try takt.stop() == 0)
    #expect(takt.lines.contains { $0.job == "slow" && $0.outcome == "succeeded" })
  }

  @Test func `after shutdown_grace a run's group is stopped`() throws {
    let takt = try TaktProcess.running(
      """
      scheduler: {shutdown_grace: 200ms}
      jobs: {slow: {on: start, run: 'echo begun; sleep 1234; true'}}
      """
    ).process
    try takt.line("the run") { $0.line == "begun" }
    #expect(try takt.stop() == 0)
    let end = takt.lines.last { $0.job == "slow" && $0.outcome != nil }
    #expect(end?.outcome == "cancelled")
    #expect(end?.reason == "shutdown")
  }

  @Test func `a second TERM does not wait, a third one kills`() throws {
    let takt = try TaktProcess.running(
      """
      scheduler: {shutdown_grace: 1h}
      jobs:
        deaf:
          on: start
          kill: {grace: 1h}
          run: trap '' TERM; echo begun; while true; do sleep 0.05; done
      """
    ).process
    try takt.line("the run") { $0.line == "begun" }
    takt.signal(SIGTERM)
    try takt.line("the stop") { $0.message?.hasPrefix("stopping") == true }
    takt.signal(SIGINT)
    try takt.line("the signal") { $0.job == "deaf" && $0.to == "stopping" }
    takt.signal(SIGTERM)
    try takt.readToEnd()
    #expect(takt.waitForExit() == 0)
    #expect(takt.lines.contains { $0.job == "deaf" && $0.to == "killing" })
  }

  @Test
  func `a stop says which runs are active, since when, how long they may take, and how to hurry`()
    throws
  {
    let takt = try TaktProcess.running(
      """
      scheduler: {shutdown_grace: 1h}
      jobs: {slow: {on: start, kill: {grace: 5s}, run: 'echo begun; sleep 1234; true'}}
      """
    ).process
    try takt.line("the run") { $0.line == "begun" }
    takt.signal(SIGINT)
    let first = try takt.line("the stop") { $0.message?.hasPrefix("stopping; no new") == true }
    #expect(first.count == 1)
    let message = try #require(first.message)
    let form =
      #/stopping; no new runs; active runs: 1: run 1 of slow since \d\d:\d\d:\d\d \([^)]+\)\. They may continue for 1h; a second Ctrl-C or SIGTERM stops them now/#
    #expect(message.wholeMatch(of: form) != nil, "\(message)")
    takt.signal(SIGINT)
    let second = try takt.line("the hurry") { $0.message?.hasPrefix("stopping active") == true }
    #expect(second.message?.contains("run 1 of slow since") == true)
    #expect(second.message?.contains("killed after 5 s (kill.grace)") == true, "\(second)")
    try takt.readToEnd()
    #expect(takt.waitForExit() == 0)
  }

  @Test func `a stop without runs says no more than that`() throws {
    let takt = try TaktProcess.running("jobs: {a: {every: 1h, run: date}}\n").process
    try takt.line("the start") { $0.event == "timer" && $0.job == "a" }
    takt.signal(SIGINT)
    let line = try takt.line("the stop") { $0.message?.hasPrefix("stopping") == true }
    #expect(line.message == "stopping; no new runs; active runs: 0" && line.count == 0)
    try takt.readToEnd()
    #expect(takt.waitForExit() == 0)
  }

  @Test func `SIGUSR2 reloads the jobs file`() throws {
    let (folder, takt) = try TaktProcess.running("jobs: {a: {every: 1h, run: date}}\n")
    try takt.line("the start") { $0.event == "timer" && $0.job == "a" }
    try folder.write("jobs: {a: {every: 1h, run: date}, b: {every: 1h, run: date}}\n")
    takt.signal(SIGUSR2)
    try takt.line("the added job") { $0.event == "timer" && $0.job == "b" }
    #expect(try takt.stop() == 0)
  }

  @Test func `signals that takt has no use for are ignored, each with a line`() throws {
    let takt = try TaktProcess.running("jobs: {a: {every: 1h, run: date}}\n").process
    try takt.line("the start") { $0.event == "timer" && $0.job == "a" }
    let signals = [
      (SIGALRM, "ALRM"), (SIGVTALRM, "VTALRM"), (SIGPROF, "PROF"), (SIGPWR, "PWR"),
      (SIGXCPU, "XCPU"), (40, "40"),
    ]
    for (number, name) in signals {
      takt.signal(number)
      try takt.line("the line") { $0.message == "signal \(name) ignored" }
    }
    #expect(try takt.stop() == 0)
  }

  @Test func `SIGUSR1 writes the state of all jobs to the log`() throws {
    let takt = try TaktProcess.running(
      "jobs: {a: {every: 1h, run: date}, b: {every: 1h, run: date, enabled: false}}\n"
    ).process
    try takt.line("the start") { $0.event == "timer" && $0.job == "a" }
    takt.signal(SIGUSR1)
    try takt.line("the state") { $0.job == "b" && $0.message == "status: disabled" }
    #expect(takt.lines.contains { $0.job == "a" && $0.message == "status: waiting" })
    #expect(try takt.stop() == 0)
  }

  @Test func `a drain lets a run end, however long, and then takt ends with 0`() throws {
    let live = try LiveTakt(
      """
      scheduler: {shutdown_grace: 0s}
      jobs:
        slow: {on: start, run: 'echo begun; while ! [ -e go ]; do sleep 0.05; done'}
        often: {every: 100ms, run: echo}

      """)
    try live.process.line("the run") { $0.line == "begun" }
    #expect(try live.takt("drain", "--no-wait").output == "takt starts no new runs\n")
    let refused = try live.ask("POST", "/api/v1/jobs/often/trigger")
    #expect(refused.status == 503 && refused.text.contains("takt drain --undo"))
    let status = try live.takt("status").output
    let words = "! no new runs, waiting for 1 active run, then the end: takt is draining since "
    #expect(status.contains(words), "\(status)")
    let script =
      "'\(TaktProcess.executable.path)' drain | while read line; do : > go; echo \"$line\"; done"
    let waiting = try TaktProcess(["-c", script], program: "/bin/sh", in: live.folder)
    #expect(try waiting.text().hasSuffix("takt has ended\n"))
    let end = try live.process.line("the end") { $0.job == "slow" && $0.outcome != nil }
    #expect(end.outcome == "succeeded")
    #expect(live.process.waitForExit() == 0)
    #expect(try live.takt("verify").status == 0)
  }

  @Test(arguments: [SIGKILL, SIGQUIT])
  func `a drain that takt did not finish exits with 69`(signal: Int32) throws {
    let live = try LiveTakt(
      "jobs: {slow: {on: start, kill: {grace: 0s}, run: 'echo begun; sleep 60; true'}}\n")
    try live.process.line("the run") { $0.line == "begun" }
    let drains = try (0..<2).map { _ in try TaktProcess(["drain"], in: live.folder) }
    // A command prints its reason for waiting only once it would also see the end.
    for drain in drains { try drain.text(upTo: "waiting for 1 active run: slow\n") }
    live.process.signal(signal)
    _ = live.process.waitForExit()
    for drain in drains {
      #expect(try !drain.text().contains("takt has ended"))
      #expect(drain.waitForExit() == 69)
      let errors = drain.errors
      #expect(errors.contains("stopped or killed before the drain was done"), "\(errors)")
    }
  }

  @Test func `a drain that is done is known after takt runs again, and to two clients`() throws {
    let live = try LiveTakt(
      "jobs: {slow: {on: start, run: 'echo begun; while ! [ -e go ]; do sleep 0.05; done'}}\n")
    try live.process.line("the run") { $0.line == "begun" }
    let drain = try TaktProcess(["drain"], in: live.folder)
    try drain.text(upTo: "waiting for 1 active run: slow\n")
    #expect(try live.takt("drain", "--no-wait").status == 0)
    try live.folder.write("", to: "go")
    try live.process.readToEnd()
    #expect(live.process.waitForExit() == 0)
    let next = try TaktProcess(["run"], in: live.folder)
    #expect(try drain.text().hasSuffix("takt has ended\n"))
    #expect(drain.waitForExit() == 0)
    try next.line("the start") { $0.message?.hasPrefix("started;") == true }
    #expect(try next.stop() == 0)
  }

  @Test func `a job whose run waits for a place is not counted as running`() throws {
    let live = try LiveTakt(
      """
      scheduler: {max_running: 1}
      jobs: {slow: {on: start, run: 'echo begun; sleep 60; true'}, next: {every: 100ms, run: echo}}

      """)
    try live.process.line("the run") { $0.line == "begun" }
    let status = try TaktProcess.wait("a run that waits") {
      let status = try live.takt("status").output
      return status.contains("queued") ? status : nil
    }
    #expect(status.contains("2 jobs, 1 running\n"), "\(status)")
  }

  @Test func `a drain that holds keeps takt until it is undone, and no slot is lost`() throws {
    let live = try LiveTakt("jobs: {often: {every: 100ms, run: echo}}\n")
    try live.process.line("a run") { $0.job == "often" && $0.outcome != nil }
    let hold = try live.takt("drain", "--hold")
    #expect(hold.output.contains("no run is active; 'takt drain --undo'"), "\(hold)")
    let drain = try live.object("GET", "/api/v1/status")["drain"] as? [String: Any]
    #expect(drain?["hold"] as? Bool == true && drain?["done"] as? Bool == true)
    #expect(try live.takt("drain", "--undo").output == "takt starts runs again\n")
    #expect(try live.takt("drain", "--undo").status == 2)
    try live.process.line("a run after it") { $0.job == "often" && $0.outcome != nil }
    #expect(try live.takt("verify").status == 0)
    #expect(try live.process.stop() == 0)
  }
}
