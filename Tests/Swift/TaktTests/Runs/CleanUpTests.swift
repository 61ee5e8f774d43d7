import Foundation
import Glibc
import Testing

/// The clean-up of a job that is stopped: it has the grace period with any wrapper.
@Suite(.serialized, .ownThreads) struct CleanUpTests {
  enum StopReason: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case cancel, timeout, shutdown, replace, removal

    var testDescription: String { rawValue }

    /// The other keys of each job.
    var keys: String {
      switch self {
      case .cancel, .shutdown: ""
      case .timeout: "timeout: 3s, "
      case .replace: "overlap: replace, "
      case .removal: "on_removed: kill, "
      }
    }

    var outcome: String { self == .timeout ? "timed_out" : "cancelled" }
  }

  /// The wrappers between takt and the script, which is called SCRIPT with its arguments here.
  private static let wrappers = [
    ("shell", "run: 'SCRIPT'"), ("wrapped", "run: 'SCRIPT; true'"),
    ("list", "run: [sh, -c, SCRIPT]"), ("given", "shell: [/bin/bash, -c], run: 'SCRIPT; true'"),
  ]

  /// By its first argument it cleans up, cleans up by a program that replaces it, or ends at once.
  private static let script = """
    #!/bin/sh
    # A run that takes the place of another one.
    [ -e "ready.$2" ] && exit 0
    case $1 in
      children) trap '. ./clean.sh; exit 0' TERM ;;
      exec) trap 'exec sh clean.sh' TERM ;;
    esac
    : >"ready.$2"
    echo ready
    while :; do sleep "0.$3"; done

    """

  /// Children of each kind, one of which outlives its parent and one of which leaves the session.
  private static let clean = """
    for i in 1 2 3; do sh step.sh; done
    setsid sh step.sh
    (sh step.sh &)
    sh step.sh
    sh step.sh
    echo cleaned

    """

  private static let step = """
    trap 'echo hit' TERM
    sleep 0.03 || echo hit

    """

  /// Names of the jobs, a trap for each wrapper.
  private static func jobs(_ reason: StopReason, _ mark: String) -> [(name: String, text: String)] {
    wrappers.flatMap { wrapper, run in
      ["none", "children", "exec"].map { trap in
        let name = "\(wrapper)-\(trap)"
        let run = run.replacingOccurrences(of: "SCRIPT", with: "./job.sh \(trap) \(name) \(mark)")
        return (name, "  \(name): {on: start, kill: {grace: 1m}, \(reason.keys)\(run)}\n")
      }
    }
  }

  @Test(arguments: StopReason.allCases, Tracking.available)
  func `a stop tells each process once, leaves a clean-up alone, and keeps its output`(
    reason: StopReason, tracking: Tracking
  ) throws {
    let mark = KillMatrixTests.newMark()
    let folder = try TemporaryFolder()
    try folder.writeProgram(Self.script, to: "job.sh")
    try folder.write(Self.clean, to: "clean.sh")
    try folder.write(Self.step, to: "step.sh")
    let jobs = Self.jobs(reason, mark)
    let settings = "scheduler: {shutdown_grace: 100ms}\njobs:\n"
    try folder.write(settings + jobs.map(\.text).joined())
    let takt = try TaktProcess.tracking(tracking, in: folder)
    defer { KillMatrixTests.endSurvivors(mark) }
    if reason != .timeout {
      for _ in jobs { try takt.line("a job") { $0.line == "ready" } }
    }
    switch reason {
    case .cancel: #expect(try folder.takt("cancel", "--all", "--yes").status == 0)
    case .replace: #expect(try folder.takt("trigger", "--all", "--yes").status == 0)
    case .removal:
      try folder.write(settings + "  other: {every: 1h, run: 'true'}\n")
      #expect(try folder.takt("reload").status == 0)
    case .timeout, .shutdown: break
    }
    if reason != .shutdown {
      for _ in jobs {
        try takt.line("an end") { $0.to == "ended" && $0.outcome == reason.outcome }
      }
    }
    #expect(try takt.stop() == 0)
    let ends = takt.lines.filter { $0.to == "ended" && $0.outcome == reason.outcome }
    #expect(Set(ends.map(\.job)) == Set(jobs.map(\.name)))
    #expect(takt.lines.filter { $0.line == "hit" }.map(\.job) == [])
    let ready = Set(takt.lines.filter { $0.line == "ready" }.compactMap(\.job))
    #expect(!ready.isEmpty)
    // A run that replaced another one may have been stopped with takt.
    for end in Dictionary(grouping: ends, by: \.job).values.compactMap(\.first) {
      // One that reached its timeout before it was ready has set no trap.
      guard let name = end.job, ready.contains(name), let run = end.run else { continue }
      let cleans = !name.hasSuffix("-none")
      let kept = try folder.takt("logs", "\(run)").output.split(separator: "\n")
      #expect(kept.contains("cleaned") == cleans, "\(name): \(kept)")
      #expect(takt.lines.contains { $0.job == name && $0.line == "cleaned" } == cleans, "\(name)")
    }
    #expect(KillMatrixTests.survivors(mark) == [])
  }

  @Test func `a client that waits for a run sees the output of its clean-up`() throws {
    let folder = try TemporaryFolder()
    try folder.writeProgram(Self.script, to: "job.sh")
    try folder.write(Self.clean, to: "clean.sh")
    try folder.write(Self.step, to: "step.sh")
    try folder.write(
      "jobs: {job: {cron: '@yearly', kill: {grace: 1m}, run: './job.sh children job 5; true'}}\n")
    let takt = try TaktProcess(["run"], in: folder)
    try takt.line("the socket") { $0.message?.hasPrefix("the control socket is at") == true }
    let waiting = try TaktProcess(["trigger", "job", "--wait"], in: folder)
    try takt.line("the job") { $0.line == "ready" }
    #expect(try folder.takt("cancel", "job").status == 0)
    let output = try waiting.text().split(separator: "\n")
    #expect(output.contains("ready") && output.contains("cleaned"), "\(output)")
    #expect(try takt.stop() == 0)
  }

  // MARK: Changes of a job to its own group

  /// Changes of a job to its own control group before it ends, which would harm the next one in it.
  private static let changes = [
    "freeze": "echo 1 >$G/cgroup.freeze", "depth": "echo 0 >$G/cgroup.max.depth",
    "descendants": "echo 0 >$G/cgroup.max.descendants", "pressure": "echo 0 >$G/cgroup.pressure",
    "kill": "echo 1 >$G/cgroup.kill", "mode": "chmod 0 $G/cgroup.procs",
    "subgroup": "mkdir $G/sub && echo threaded >$G/sub/cgroup.type",
  ]

  @Test(
    .enabled(if: Tracking.available.contains(.groups), "control groups are needed"),
    arguments: changes.keys.sorted())
  func `no other run gets a control group that a job has changed`(change: String) throws {
    let folder = try TemporaryFolder()
    // A job that ends itself needs none.
    let timeout = change == "kill" ? "1m" : "300ms"
    let group = "$(sed -n 's/^0:://p' /proc/self/cgroup)"
    try folder.write(
      """
      G=$(grep ' - cgroup2 ' /proc/self/mountinfo | head -n 1 | cut -d' ' -f5)\(group)
      echo "$G"
      \(Self.changes[change] ?? "false")
      sleep 1000

      """, to: "change.sh")
    try folder.write(
      """
      scheduler: {max_running: 1}
      jobs:
        changes: {on: start, timeout: \(timeout), kill: {grace: 1m}, run: [sh, change.sh]}
        next: {every: 100ms, run: "echo \(group)"}

      """)
    let takt = try TaktProcess.tracking(.groups, in: folder)
    let end = try takt.line("the end") { $0.job == "changes" && $0.to == "ended" }
    #expect(end.outcome == (change == "kill" ? "failed" : "timed_out"))
    for _ in 1...3 {
      let next = try takt.line("a run") { $0.job == "next" && $0.to == "ended" }
      #expect(next.outcome == "succeeded", "\(next)")
    }
    let path = try #require(takt.lines.first { $0.job == "changes" && $0.stream == "stdout" }?.line)
    let others = takt.lines.filter { $0.job == "next" && $0.stream == "stdout" }
      .compactMap(\.line)
    let later = others.suffix(3)
    #expect(later.count == 3 && later.allSatisfy { !path.hasSuffix($0) }, "\(path): \(others)")
    #expect(try takt.stop() == 0)
  }
}
