import Foundation
import TaktCore
import TaktEngine
import Testing

/// Limits of whole runs, with the real program.
///
/// They need controllers of control groups; `make guest` runs them in a virtual machine that has
/// them all.
@Suite(.ownThreads) struct GroupLimitTests {
  /// True if takt can use the controllers that the tests need.
  static let canLimit: Bool = {
    // In the guest they must exist.
    if getenv("TAKT_IN_GUEST") != nil { return true }
    guard
      let problem = ControlGroupControllers.problem(with: [.memory, .pids, .cpu, .io], in: .daemon)
    else { return true }
    print("limits of whole runs are not tested here, but by 'make guest': \(problem)")
    return false
  }()

  private struct Run: Decodable {
    var outcome: String?
    var reason: String?
    var duration_ms: Double?
    var cpu_ms: Double?
    var memory_peak: Int64?
  }

  /// Starts takt with a job that runs once and is the only one.
  private func start(
    _ command: String, limits: String, in folder: TemporaryFolder
  ) throws -> TaktProcess {
    try folder.write(
      """
      jobs:
        a:
          on: start
          run: |
            \(command)
          limits: {\(limits)}
      """)
    return try TaktProcess.tracking(.groups, in: folder)
  }

  /// The only run, after its end.
  private func onlyRun(_ process: TaktProcess, in folder: TemporaryFolder) throws -> Run {
    try process.line("the end") { $0.job == "a" && $0.to == "ended" }
    #expect(try process.stop() == 0)
    let line = try folder.takt("runs", "--json").output
    return try JSONDecoder().decode(Run.self, from: Data(line.utf8))
  }

  /// A command that prints the value of a limit in a run.
  private func show(_ file: String) -> String {
    "cat /sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/\(file)"
  }

  // MARK: - Where they are not available

  private static let hint =
    "takt cannot limit all processes of job 'a' together (memory): TAKT_CGROUP=off"

  @Test func `limits that are not available are an error, or a warning if the file says so`() throws
  {
    let folder = try TemporaryFolder(
      "jobs: {a: {every: 100ms, run: echo x, limits: {memory_max: 64MB}}}\n")
    for command in ["check", "run"] {
      let refused = try folder.takt(
        ["TAKT_CGROUP=off", TaktProcess.executable.path, command], program: "/usr/bin/env")
      #expect(refused.status == 78 && refused.errors.contains(Self.hint), "\(refused.errors)")
      #expect(refused.errors.contains("jobs.yaml:1:60: error"), "\(refused.errors)")
      #expect(refused.errors.contains("'enforce: if_possible'"), "\(refused.errors)")
    }

    try folder.write(
      """
      jobs:
        a:
          every: 100ms
          run: echo unlimited
          limits: {memory_max: 64MB, enforce: if_possible}
      """)
    let process = try TaktProcess.tracking(.sessions, in: folder)
    try process.line("the output") { $0.line == "unlimited" }
    #expect(try process.stop() == 0)
    #expect(process.errors.contains("warning: \(Self.hint)"), "\(process.errors)")
  }

  @Test(arguments: [true, canLimit])
  func `a run whose limits this machine does not give says what is missing`(isOff: Bool) throws {
    // On a machine with limits, only takt itself can be denied them.
    let folder = try TemporaryFolder(
      "jobs: {a: {every: 1h, run: 'true', limits: {tasks_max: 9}}}\n")
    let exec = try folder.takt(
      (isOff ? ["TAKT_CGROUP=off"] : []) + [TaktProcess.executable.path, "exec", "a"],
      program: "/usr/bin/env")
    #expect(exec.status == 126)
    let problem = try #require(
      isOff
        ? "TAKT_CGROUP=off"
        : ControlGroupControllers.problem(with: [.pids], in: .daemon)?.prefix(20).description)
    #expect(
      exec.errors.contains("cannot set the limits of the whole run: \(problem)"), "\(exec.errors)")
    #expect(exec.errors.contains("not_started(limits, EOPNOTSUPP)"), "\(exec.errors)")
  }

  @Test func `commands that run nothing do not ask for controllers`() throws {
    let folder = try TemporaryFolder(
      "jobs: {a: {every: 1h, run: echo x, limits: {memory_max: 64MB}}}\n")
    let next = try folder.takt(
      ["TAKT_CGROUP=off", TaktProcess.executable.path, "next"], program: "/usr/bin/env")
    #expect(next.status == 0 && next.errors.isEmpty, "\(next.errors)")
  }

  /// Starts takt in a group of its own, with or without a shell that stays in it. The delegation of
  /// a group includes its controllers.
  private func start(
    beside isBeside: Bool, group: String, in folder: TemporaryFolder
  ) throws -> TaktProcess {
    let takt = TaktProcess.executable.path
    let line =
      "echo +pids > /sys/fs/cgroup/cgroup.subtree_control && mkdir \(group) && echo $$ > \(group)/cgroup.procs && "
      + (isBeside ? "{ \(takt) run; exit $?; }" : "exec \(takt) run")
    return try TaktProcess(["-c", line], program: "/bin/sh", in: folder)
  }

  @Test(.enabled(if: canLimit))
  func `a delegated group gives limits to takt alone, and takt says who else is in it`() throws {
    let folder = try TemporaryFolder(
      "jobs: {a: {every: 100ms, run: '\(show("pids.max"))', limits: {tasks_max: 9}}}")
    let name = "/sys/fs/cgroup/takt-test-\(UUID().uuidString)"
    let refused = try start(beside: true, group: name + "-1", in: folder)
    _ = try refused.text()
    #expect(refused.waitForExit() == 78, "\(refused.errors)")
    #expect(
      refused.errors.contains("other processes are in takt's control group \(name)-1: sh("),
      "\(refused.errors)")

    let process = try start(beside: false, group: name + "-2", in: folder)
    try process.line("the limit") { $0.line == "9" }
    // takt has moved to a group below by now.
    let reload = try folder.takt("reload")
    #expect(reload.status == 0, "\(reload)")
    #expect(try process.stop() == 0)
    for number in 1...2 { rmdir("\(name)-\(number)") }
  }

  // MARK: - Where they are available

  @Test(
    .enabled(if: canLimit),
    arguments: [
      "sh -c 'tail /dev/zero'; exit 7",
      "./cost 0 30 hold & ./cost 0 30 hold & ./cost 0 30 hold & wait; exit 7",
    ])
  func `a run that needs more memory than it may fails with oom, all its processes together`(
    command: String
  ) throws {
    let folder = try TemporaryFolder()
    try CostProgram.compile(in: folder)
    let process = try start(command, limits: "memory_max: 64MB", in: folder)
    let run = try onlyRun(process, in: folder)
    #expect(run.outcome == "failed" && run.reason == "oom")
    let peak = try #require(run.memory_peak)
    #expect(peak > 32 << 20 && Double(peak) <= 1.05 * Double(64 << 20), "\(peak)")
  }

  @Test(.enabled(if: canLimit))
  func `the least memory does not end takt, however much the command is given`() throws {
    let folder = try TemporaryFolder()
    // Nearly the most that the kernel lets a command have, in variables of 100 KB each.
    let text = String(repeating: "x", count: 100_000)
    let variables = (0..<18).map { "X\($0): \(text)" }.joined(separator: ", ")
    try folder.write(
      """
      jobs:
        a:
          on: start
          env: {\(variables)}
          run: 'exit 5'
          limits: {memory_max: 8MB}
      """)
    let process = try TaktProcess.tracking(.groups, in: folder)
    let run = try onlyRun(process, in: folder)
    #expect(run.outcome == "failed")
  }

  @Test(.enabled(if: canLimit))
  func `a run cannot have more tasks than it may`() throws {
    let folder = try TemporaryFolder()
    let process = try start(
      """
      \(show("pids.max"))
            (sleep 60 & sleep 60 & sleep 60 & sleep 60 & true) || echo refused
      """, limits: "tasks_max: 3", in: folder)
    try process.line("the limit") { $0.line == "3" }
    try process.line("the refusal") { $0.line == "refused" }
    #expect(try process.stop() == 0)
  }

  @Test(.enabled(if: canLimit))
  func `all processes of a run share its part of a processor`() throws {
    let folder = try TemporaryFolder()
    try CostProgram.compile(in: folder)
    let process = try start(
      "./cost 300 0 & ./cost 300 0; wait", limits: "cpu_quota: 20%", in: folder)
    let run = try onlyRun(process, in: folder)
    #expect(run.outcome == "succeeded")
    let (cpu, duration) = (try #require(run.cpu_ms), try #require(run.duration_ms))
    #expect(cpu >= 600)
    // The run may start and end within a period of the kernel, a tenth of a second.
    #expect(cpu <= 0.2 * (duration + 200) * 1.05, "\(cpu) ms in \(duration) ms")
  }

  @Test(.enabled(if: canLimit))
  func `a run has its weight among others`() throws {
    let folder = try TemporaryFolder()
    let process = try start(show("io.weight"), limits: "io_weight: 50", in: folder)
    try process.line("the weight") { $0.line == "default 50" }
    #expect(try process.stop() == 0)
  }

  @Test(.enabled(if: canLimit))
  func `two daemons beside each other both limit their runs, also after one was killed`() throws {
    let folders = [try TemporaryFolder(), try TemporaryFolder()]
    let command = show("pids.max") + "; sleep 600"
    var takts = try folders.map { try start(command, limits: "tasks_max: 7", in: $0) }
    for takt in takts { try takt.line("the limit") { $0.line == "7" } }
    takts[0].signal(SIGKILL)
    _ = takts[0].waitForExit()
    try folders[0].write(
      "jobs: {a: {every: 1s, run: '\(show("pids.max"))', limits: {tasks_max: 8}}}")
    takts[0] = try TaktProcess.tracking(.groups, in: folders[0])
    try takts[0].line("the new limit") { $0.line == "8" }
    for takt in takts { #expect(try takt.stop() == 0) }
    #expect(try folders[0].takt("runs", "--failed").output.contains("interrupted"))
  }
}
