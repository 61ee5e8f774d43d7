import Foundation
import Glibc
import Testing

/// Real process trees of runs, of which afterwards neither a process nor a zombie remains.
@Suite(.serialized, .ownThreads) struct KillMatrixTests {
  /// A way to escape. `MARK` becomes a number that no other process has in its command line.
  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var script: String
    var timeout = "timeout: 1h"
    var outcome = "succeeded"
    /// The start of the reason: of some trees the number of processes changes all the time.
    var reason = "descendants_left("
    /// The number of processes that only a control group proves to belong to the run: without one
    /// they are left alone.
    var unproved = 0
  }

  static let rows: [Row] = [
    Row(
      testDescription: "ignores TERM",
      script: "trap '' TERM; while :; do sleep 0.MARK; done",
      timeout: "timeout: 300ms", outcome: "timed_out", reason: "timeout"),
    Row(
      testDescription: "leaves a child that ignores TERM",
      script: "sh -c 'trap \"\" TERM; : >ready; while :; do sleep 0.MARK; done' & \(ready)"),
    Row(
      testDescription: "double-forks",
      script: "(sh -c ': >ready; exec sleep 1000.MARK' &) ; \(ready)",
      reason: "descendants_left(1)"),
    Row(
      testDescription: "leaves its session",
      script: "setsid sh -c ': >ready; exec sleep 1000.MARK' & \(ready)",
      reason: "descendants_left(1)"),
    Row(
      testDescription: "leaves its session twice, and ignores TERM",
      script: """
        setsid sh -c 'trap "" TERM; setsid sh -c ": >ready; sleep 1000.MARK; :" & sleep 1001.MARK' & \
        \(ready)
        """),
    Row(
      testDescription: "leaves its session and clears its environment",
      script: "env -i /usr/bin/setsid /bin/sh -c ': >ready; exec sleep 1000.MARK' & \(ready)",
      reason: "descendants_left(1)", unproved: 1),
    Row(
      testDescription: "leaves its session while the run goes on",
      script: """
        (setsid sh -c 'trap "" TERM; : >ready; while :; do sleep 0.MARK; done' &) ; sleep 1000.MARK
        """,
      timeout: "timeout: 500ms", outcome: "timed_out", reason: "timeout"),
    Row(
      testDescription: "holds the pipe",
      script: "setsid sh -c ': >ready; exec sleep 1000.MARK' 2>&1 & \(ready); echo held",
      reason: "descendants_left(1)"),
    Row(
      testDescription: "stops itself",
      script: "sh -c 'kill -STOP $$; sleep 1000.MARK'; sleep 1001.MARK",
      timeout: "timeout: 300ms", outcome: "timed_out", reason: "timeout"),
    Row(
      testDescription: "leaves a stopped child outside its session",
      script: """
        setsid sh -c 'trap "sleep 0.01; exit" TERM; : >ready; kill -STOP $$; sleep 1000.MARK' & \(ready)
        """,
      reason: "descendants_left(1)"),
    Row(
      testDescription: "has a hundred processes",
      script: """
        : >ready
        for i in 0 1 2 3 4 5 6 7 8 9; do
          sh -c 'for j in 1 2 3 4 5 6 7 8 9; do sleep 1000.MARK & done; echo >>ready; wait' &
        done
        while [ "$(wc -l <ready)" -lt 10 ]; do sleep 0.01; done
        """,
      reason: "descendants_left(100)"),
    Row(
      testDescription: "makes zombies and never waits",
      script: """
        sh -c 'for i in 1 2 3 4 5; do true & setsid true & done; : >ready; exec sleep 1000.MARK' & \
        \(ready)
        """),
    Row(
      testDescription: "keeps forking away",
      script: """
        cat >fork.sh <<'END'
        : >ready
        sleep 0.01
        [ -e halt ] || setsid sh fork.sh MARK &
        END
        sh fork.sh MARK & \(ready)
        """),
    Row(
      testDescription: "is a storm of forks",
      script: """
        cat >storm.sh <<'END'
        : >ready
        [ "$1" -gt 0 ] || exec sleep 0.MARK
        while [ ! -e halt ]; do sh storm.sh $(($1 - 1)) MARK & sh storm.sh $(($1 - 1)) MARK; wait; done
        END
        sh storm.sh 5 MARK
        """,
      timeout: "timeout: 1s", outcome: "timed_out", reason: "timeout"),
    Row(
      testDescription: "is a storm of forks that ignore TERM",
      script: """
        cat >storm.sh <<'END'
        trap '' TERM
        [ "$1" -gt 0 ] || exec sleep 0.MARK
        while [ ! -e halt ]; do sh storm.sh $(($1 - 1)) MARK & sh storm.sh $(($1 - 1)) MARK; wait; done
        END
        sh storm.sh 5 MARK
        """,
      timeout: "timeout: 1s", outcome: "timed_out", reason: "timeout"),
    Row(
      testDescription: "is stopped while make starts jobs",
      script: """
        cat >Makefile <<'END'
        targets := $(shell seq 1 200)
        all: $(targets)
        $(targets):
        \t@sh -c 'sleep 0.02; setsid sleep 0.MARK; :'
        END
        make -j16
        """,
      timeout: "timeout: 1s", outcome: "timed_out", reason: "timeout"),
  ]

  /// Waits, in the script, for the tree to be complete.
  private static let ready = "while [ ! -e ready ]; do sleep 0.01; done"

  @Test(arguments: rows, Tracking.available)
  func `nothing is left of a run that`(row: Row, tracking: Tracking) throws {
    let mark = Self.newMark()
    let folder = try TemporaryFolder()
    let script = row.script.replacingOccurrences(of: "MARK", with: mark)
    try folder.write(script, to: "tree.sh")
    try folder.write(
      """
      jobs:
        tree:
          on: start
          kill: {grace: 300ms}
          \(row.timeout)
          run: [sh, tree.sh]
      """)
    let takt = try TaktProcess.tracking(tracking, in: folder)
    let end = try takt.line("the end of the run") { $0.job == "tree" && $0.to == "ended" }
    #expect(end.outcome == row.outcome)
    let unproved = tracking == .groups ? 0 : row.unproved
    #expect(end.reason?.hasPrefix(unproved > 0 ? "exit(0)" : row.reason) == true)
    #expect(Self.survivors(mark).count == unproved)
    defer { Self.endSurvivors(mark) }
    #expect(takt.children().count == unproved)
    #expect(try takt.stop() == 0)
    try folder.write("", to: "halt")
  }

  @Test(arguments: Tracking.available)
  func `what was there before takt is none of its business`(tracking: Tracking) throws {
    let mark = Self.newMark()
    let folder = try TemporaryFolder("jobs:\n  job: {every: 50ms, run: 'true'}\n")
    let script = """
      sleep 1000.\(mark) >/dev/null &
      (while [ -e jobs.yaml ]; do (setsid sleep 2.\(mark) &); sleep 0.1; done) >/dev/null 2>&1 &
      exec env \(tracking.variable) '\(TaktProcess.executable.path)' run --log-format json
      """
    let takt = try TaktProcess(["-c", script], program: "/bin/sh", in: folder)
    // Processes that the daemon before takt continues to leave behind are takt's to reap, and of no
    // run.
    for _ in 1...20 {
      let end = try takt.line("an end") { $0.to == "ended" }
      #expect(end.reason == "exit(0)")
    }
    func living(_ seconds: Int) -> Int {
      Self.survivors(mark).count { $0.contains(" sleep \(seconds).") && !$0.contains("exec") }
    }
    #expect(living(2) > 2)
    #expect(try takt.stop() == 0)
    #expect(living(1000) == 1)
    Self.endSurvivors(mark)
  }

  @Test(.enabled(if: Tracking.available.contains(.groups), "control groups are needed"))
  func `another daemon that starts or stops takes no control group away`() throws {
    let mark = Self.newMark()
    defer { Self.endSurvivors(mark) }
    let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
    try folder.write(
      """
      jobs:
        leaves: {every: 200ms, from: end, run: "env -i setsid sleep 1000.\(mark) & grep ^0: /proc/self/cgroup"}

      """)
    try other.write("jobs: {one: {on: start, run: 'true'}}\n")
    let takt = try TaktProcess.tracking(.groups, in: folder)
    for _ in 1...3 {
      try takt.line("a run") { $0.to == "ended" && $0.reason == "descendants_left(1)" }
      let second = try TaktProcess(["exec", "one"], in: other)
      #expect(second.waitForExit() == 0)
    }
    try takt.line("a run") { $0.to == "ended" }
    try takt.line("another run") { $0.to == "ended" }
    #expect(
      takt.lines.filter { $0.to == "ended" }.allSatisfy { $0.reason == "descendants_left(1)" })
    #expect(try takt.stop() == 0)
    #expect(Self.survivors(mark) == [])
  }

  @Test(arguments: Tracking.available)
  func `each process of a run that is stopped gets the signal once`(tracking: Tracking) throws {
    let folder = try TemporaryFolder()
    let count = "trap 'echo told' TERM; : >begun.$1; while [ ! -e over ]; do sleep 0.02; done"
    try folder.write(count, to: "count.sh")
    // The leader of a group ends at the signal, and leaves a member that has also had it.
    try folder.write("sh count.sh d & wait", to: "lead.sh")
    try folder.write(
      """
      jobs:
        tree:
          on: start
          kill: {grace: 1m}
          run: sh count.sh a & setsid sh count.sh b & setsid sh lead.sh & sh count.sh c
        watcher: {every: 100ms, run: "[ ! -e begun.a -o ! -e begun.b -o ! -e begun.c -o ! -e begun.d ] || echo all"}

      """)
    let takt = try TaktProcess.tracking(tracking, in: folder)
    try takt.line("all of them") { $0.line == "all" }
    let cancel = try TaktProcess(["cancel", "tree"], in: folder)
    #expect(cancel.waitForExit() == 0)
    var told = 0
    while told < 4 {
      try takt.line("the signal") { $0.line == "told" }
      told += 1
    }
    // A second one would come at once.
    for _ in 1...5 { try takt.line("the watcher") { $0.job == "watcher" && $0.to == "ended" } }
    try folder.write("", to: "over")
    try takt.line("the end") { $0.job == "tree" && $0.to == "ended" }
    #expect(takt.lines.count { $0.line == "told" } == 4)
    #expect(try takt.stop() == 0)
  }

  @Test(arguments: Tracking.available)
  func `who leaves its session is left alone as long as its run continues`(
    tracking: Tracking
  ) throws {
    let mark = Self.newMark()
    let folder = try TemporaryFolder(
      """
      jobs:
        long:
          on: start
          run: |
            (setsid sh -c ': >marked; exec sleep 1000.\(mark)' &)
            (env -i /usr/bin/setsid /bin/sh -c ': >unmarked; exec sleep 1001.\(mark)' &)
            while [ ! -e go ]; do sleep 0.01; done
        short:
          every: 50ms
          run: "[ -e unmarked ] && [ -e marked ] && echo both; setsid sleep 1002.\(mark) & exit 0"
          kill: {grace: 300ms}
      """)
    let takt = try TaktProcess.tracking(tracking, in: folder)
    defer { Self.endSurvivors(mark) }
    try takt.line("both") { $0.line == "both" }
    // Two more runs start and end beside the long one, each with an orphan of its own.
    for _ in 1...3 { try takt.line("a run") { $0.job == "short" && $0.to == "ended" } }
    let left = Self.survivors(mark).map {
      $0.split(separator: " ").dropFirst().joined(separator: " ")
    }
    #expect(left.filter { $0 == "sleep 1000.\(mark)" || $0 == "sleep 1001.\(mark)" }.count == 2)
    try folder.write("", to: "go")
    let end = try takt.line("the end") { $0.job == "long" && $0.to == "ended" }
    let unproved = tracking == .groups ? 0 : 1
    #expect(end.reason == "descendants_left(\(2 - unproved))")
    #expect(try takt.stop() == 0)
    #expect(Self.survivors(mark).count == unproved)
  }

  /// The states of a run's machine when takt is stopped.
  @Test(arguments: ["queued", "running", "stopping", "killing", "backing_off"], Tracking.available)
  func `nothing is left when takt is stopped while a run is`(
    state: String, tracking: Tracking
  ) throws {
    let mark = Self.newMark()
    let folder = try TemporaryFolder()
    let tree = """
      trap '' TERM; (setsid sh -c 'trap \\"\\" TERM; while :; do sleep 0.\(mark); done' &); \
      echo stands; while :; do sleep 0.\(mark); done
      """
    // A machine is in `killing` only as long as the kernel takes: the stop comes with the state.
    let timeout = ["stopping", "killing", "backing_off"].contains(state) ? "100ms" : "1h"
    try folder.write(
      """
      scheduler: {max_running: 1, shutdown_grace: 100ms}
      jobs:
        tree:
          on: start
          timeout: \(timeout)
          kill: {grace: \(state == "stopping" ? "1s" : "100ms")}
          \(state == "backing_off" ? "retry: {attempts: 2, delay: 1h}" : "")
          run: "\(tree)"
        other: {on: start, run: "sleep 1000.\(mark)"}
      """)
    let takt = try TaktProcess.tracking(tracking, in: folder)
    // The one of the two that starts first makes the other wait.
    switch state {
    case "queued", "running":
      try takt.line("a run") { $0.machine?.hasPrefix("run:") == true && $0.to == "running" }
    default: try takt.line("the state") { $0.job == "tree" && $0.to == state }
    }
    #expect(try takt.stop() == 0)
    #expect(Self.survivors(mark) == [])
    let ends = takt.lines.filter { $0.to == "ended" && $0.machine?.hasPrefix("run:") == true }
    #expect(ends.count == 2)
    #expect(!takt.lines.contains { $0.message?.contains("gave up") == true })
    if ["queued", "backing_off"].contains(state) {
      #expect(ends.contains { $0.from == state })
    }
  }

  @Test func `ten thousand runs leave no descriptor and no zombie`() throws {
    let folder = try TemporaryFolder()
    var jobs = "scheduler: {max_running: 16}\njobs:\n"
    for index in 0..<8 {
      jobs += "  job\(index): {every: 2ms, from: end, run: [/bin/true]}\n"
    }
    jobs += "  fails: {every: 20ms, from: end, run: [/no/such/program], stdin: text}\n"
    try folder.write(jobs)
    let takt = try TaktProcess(["run"], in: folder)
    takt.ignoredEvents = ["timer", "slot"]
    var runs = 0
    func count(to last: Int) throws {
      while runs < last {
        let end = try takt.line("run \(runs + 1)") { $0.to == "ended" }
        #expect(end.outcome == (end.job == "fails" ? "failed" : "succeeded"))
        runs += 1
      }
    }
    try count(to: 200)
    // This many may be active at once, with three descriptors each.
    let before = takt.descriptorCount
    try count(to: 10_000)
    #expect(takt.descriptorCount <= before + 16 * 3)
    takt.signal(SIGTERM)
    try takt.line("the stop") { $0.message == "stopped" }
    try takt.readToEnd()
    #expect(takt.waitForExit() == 0)
  }

  static func endSurvivors(_ mark: String) {
    for line in survivors(mark) { kill(pid_t(line.prefix { $0 != " " }) ?? 0, SIGKILL) }
  }

  static func newMark() -> String { String(UInt32.random(in: 100_000_000...999_999_999)) }

  /// The command lines of processes with the mark, except this test's own.
  static func survivors(_ mark: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { name in
      guard let pid = pid_t(name), pid != getpid(),
        let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline")
      else { return nil }
      let line = String(decoding: bytes.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)
      return line.contains(mark) ? "\(pid) \(line)" : nil
    }
  }
}
