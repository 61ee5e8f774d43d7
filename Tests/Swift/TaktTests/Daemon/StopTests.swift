import Glibc
import Testing

@Suite(.ownThreads) struct StopTests {
  @Test func `TERM lets a run in progress end`() throws {
    let folder = try TemporaryFolder()
    try folder.write("jobs: {slow: {on: start, run: 'echo begun; sleep 1; echo done'}}\n")
    let takt = try TaktProcess(["run"], in: folder)
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
    let end = takt.lines.last { $0.job == "slow" && $0.to == "ended" }
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
    let folder = try TemporaryFolder()
    try folder.write(
      "jobs: {a: {every: 1h, run: date}, b: {every: 1h, run: date, enabled: false}}\n")
    let takt = try TaktProcess(["run"], in: folder)
    try takt.line("the start") { $0.event == "timer" && $0.job == "a" }
    takt.signal(SIGUSR1)
    try takt.line("the state") { $0.job == "b" && $0.message == "status: disabled" }
    #expect(takt.lines.contains { $0.job == "a" && $0.message == "status: waiting" })
    #expect(try takt.stop() == 0)
  }
}
