import Foundation
import Glibc
import Testing

/// takt ends its own processes, and no others.
@Suite(.ownThreads) struct RegressionTests {
  private static let isRoot = geteuid() == 0

  /// A process that takes over an environment and starts a program in it, as `at` and `sbatch` do.
  /// It is no descendant of takt.
  private static let atDaemon = #"""
    import os, subprocess, sys, time
    user = int(sys.argv[2])
    while not os.path.exists("environment.done"):
        time.sleep(0.01)
    entries = open("environment", "rb").read().split(b"\0")
    environment = dict(entry.split(b"=", 1) for entry in entries if b"=" in entry)
    def become():
        if user:
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
    subprocess.Popen(["sleep", "1000." + sys.argv[1]], env=environment, preexec_fn=become,
                     start_new_session=True)
    print('{"ts": "", "level": "", "event": "begun"}', flush=True)
    time.sleep(1000)
    """#

  @Test(arguments: Tracking.available, [0, 65534])
  func `a process that was handed a run's environment lives on`(
    tracking: Tracking, user: Int
  ) throws {
    guard user == 0 || Self.isRoot else { return }
    let mark = KillMatrixTests.newMark()
    defer { KillMatrixTests.endSurvivors(mark) }
    let folder = try TemporaryFolder()
    try folder.write(Self.atDaemon, to: "at.py")
    try folder.write(
      """
      jobs:
        hands-on:
          on: start
          run: env -0 >environment; touch environment.done; while [ ! -e go ]; do sleep 0.01; done
        other: {every: 50ms, run: [/bin/true]}

      """)
    let daemon = try TaktProcess(["at.py", mark, "\(user)"], program: "python3", in: folder)
    let takt = try TaktProcess.tracking(tracking, in: folder)
    try daemon.line("the stranger") { $0.event == "begun" }
    try folder.write("", to: "go")
    try takt.line("the end") { $0.job == "hands-on" && $0.to == "ended" && $0.reason == "exit(0)" }
    for _ in 1...5 { try takt.line("an end") { $0.job == "other" && $0.to == "ended" } }
    takt.crash()
    // The next daemon searches for leftovers of the killed one.
    let next = try TaktProcess.tracking(tracking, in: folder)
    try next.line("an end") { $0.job == "other" && $0.to == "ended" }
    #expect(try next.stop() == 0)
    #expect(KillMatrixTests.survivors(mark).contains { $0.contains("sleep 1000.") })
    daemon.signal(SIGKILL)
  }

  @Test(.enabled(if: isRoot, "a PID namespace takes root"), arguments: Tracking.available)
  func `what somebody starts in takt's container is no run's`(tracking: Tracking) throws {
    let mark = KillMatrixTests.newMark()
    let folder = try TemporaryFolder()
    // A run is nearly always active when the strangers come.
    try folder.write("jobs: {a: {every: 10ms, from: end, run: [sleep, '0.3']}}\n")
    let container = try TaktProcess(
      [
        "--pid", "--fork", "--kill-child", "--mount-proc", "env", tracking.variable,
        TaktProcess.executable.path, "run",
      ], program: "/usr/bin/unshare", in: folder)
    try container.line("a run") { $0.job == "a" && $0.to == "ended" }
    let takt = try #require(container.children().keys.first)
    let entered = try TaktProcess(
      [
        "--target", "\(takt)", "--pid", "--mount", "sh", "-c",
        "for i in 1 2 3 4 5; do (setsid sleep 1000.\(mark) >/dev/null 2>&1 &) ; done",
      ], program: "/usr/bin/nsenter", in: folder)
    #expect(entered.waitForExit() == 0)
    for _ in 1...4 { try container.line("a run") { $0.job == "a" && $0.to == "ended" } }
    #expect(KillMatrixTests.survivors(mark).count { $0.contains(" sleep 1000.") } == 5)
    kill(takt, SIGTERM)
    try container.readToEnd()
    #expect(container.waitForExit() == 0)
  }

  @Test(arguments: Tracking.available)
  func `what a job starts on purpose lives on with leftovers set to leave`(
    tracking: Tracking
  ) throws {
    let mark = KillMatrixTests.newMark()
    defer { KillMatrixTests.endSurvivors(mark) }
    let folder = try TemporaryFolder(
      """
      defaults: {kill: {leftovers: leave}}
      jobs:
        service: {on: start, run: "setsid sleep 1000.\(mark) >/dev/null 2>&1 & sleep 1001.\(mark) & :"}
        stopped: {on: start, timeout: 300ms, run: "setsid sleep 1002.\(mark) & sleep 1003.\(mark)"}
        ended: {on: start, kill: {leftovers: end}, run: "setsid sleep 1004.\(mark) & :"}
        other: {every: 50ms, run: [/bin/true]}

      """)
    let takt = try TaktProcess.tracking(tracking, in: folder)
    var waiting: Set = ["service", "stopped", "ended"]
    while !waiting.isEmpty {
      let end = try takt.line("the ends of \(waiting)") {
        $0.to == "ended" && $0.job.map(waiting.contains) == true
      }
      if end.job == "service" { #expect(end.reason == "exit(0)") }
      if end.job == "stopped" { #expect(end.outcome == "timed_out") }
      waiting.remove(end.job ?? "")
    }
    let told = takt.lines.first { $0.job == "service" && $0.message?.contains("leftovers") == true }
    #expect(told?.count == 2)
    for _ in 1...5 { try takt.line("an end") { $0.job == "other" && $0.to == "ended" } }
    #expect(try takt.stop() == 0)
    let left = KillMatrixTests.survivors(mark).map { $0.split(separator: ".")[0].suffix(4) }
      .sorted()
    #expect(left == ["1000", "1001"])
  }

  @Test func `mail that sendmail delivers in the background is delivered`() throws {
    let folder = try TemporaryFolder()
    try folder.writeProgram(
      "#!/bin/sh\ncat >mail\nsetsid sh -c 'until [ -e go ]; do sleep 0.02; done; mv mail sent' &\n",
      to: "sendmail")
    try folder.write(
      """
      jobs:
        mail:
          on: start
          use: mail
          with: {from: a@example.com, to: b@example.com, body: text, sendmail: \(folder.url.path)/sendmail}

      """)
    let takt = try TaktProcess(["run"], in: folder)
    let end = try takt.line("the end") { $0.job == "mail" && $0.to == "ended" }
    #expect(end.outcome == "succeeded")
    #expect(end.reason == "exit(0)")
    #expect(try takt.stop() == 0)
    try folder.write("", to: "go")
    let deadline = Date() + TaktProcess.patience
    while folder.read("sent").isEmpty, Date() < deadline { usleep(5000) }
    #expect(!folder.read("sent").isEmpty)
  }
}
