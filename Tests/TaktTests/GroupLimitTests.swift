import Foundation
import TaktEngine
import Testing

/// Limits of whole runs, with the real program.
@Suite struct GroupLimitTests {
  /// Whether takt can have the controllers that the tests need.
  static let canLimit: Bool = {
    guard let problem = ControlGroupControllers.problem(
      with: [.memory, .pids, .cpu], in: .daemon) else {
      return true
    }
    print("limits of whole runs are not tested: \(problem)")
    return false
  }()

  private func takt(_ arguments: String..., in folder: TemporaryFolder) throws -> (
    status: Int32, output: String, errors: String
  ) {
    let process = try TaktProcess(arguments, in: folder)
    let output = try process.text()
    return (process.waitForExit(), output, process.errors)
  }

  private static let hint = "takt cannot limit whole runs here (memory): TAKT_CGROUP=off"

  @Test func `a file with limits that cannot be had is refused, or warned of if it says so`() throws
  {
    let folder = try TemporaryFolder()
    try folder.write("jobs: {a: {every: 100ms, run: echo x, limits: {memory_max: 64MB}}}\n")
    let refused = try TaktProcess(
      ["TAKT_CGROUP=off", TaktProcess.executable.path, "check"], program: "/usr/bin/env",
      in: folder)
    _ = try refused.text()
    #expect(refused.waitForExit() == 78 && refused.errors.contains(Self.hint), "\(refused.errors)")
    #expect(refused.errors.contains("jobs.yaml:1:"), "\(refused.errors)")

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

  @Test(.enabled(if: canLimit))
  func `a run that needs more memory than it may fails with oom, however many processes it has`()
    throws
  {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      jobs:
        a:
          every: 200ms
          run: 'sh -c "tail /dev/zero" ; exit 7'
          limits: {memory_max: 32MB}
      """)
    let process = try TaktProcess.tracking(.groups, in: folder)
    let end = try process.line("the end") { $0.job == "a" && $0.to == "ended" }
    #expect(end.outcome == "failed" && end.reason == "oom")
    #expect(try process.stop() == 0)
    let runs = try takt("runs", "--json", in: folder)
    #expect(runs.output.contains(#""reason":"oom""#), "\(runs)")
  }

  @Test(.enabled(if: canLimit))
  func `a run cannot have more tasks than it may`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      jobs:
        a:
          every: 200ms
          run: 'cat /sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/pids.max; (sleep 0 & sleep 0 & sleep 0 & sleep 0 & wait) || echo refused'
          limits: {tasks_max: 3}
      """)
    let process = try TaktProcess.tracking(.groups, in: folder)
    try process.line("the limit") { $0.line == "3" }
    #expect(try process.stop() == 0)
  }
}
