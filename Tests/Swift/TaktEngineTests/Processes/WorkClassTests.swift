import CTaktSystem
import Foundation
import Glibc
import TaktCore
import TestSupport
import Testing

@testable import TaktEngine

/// The system's view of a child of each class.
@Suite struct WorkClassTests {
  @Test(arguments: QoS.allCases)
  func `a living child has all that its class says`(qos: QoS) throws {
    let child = try Spawn.start(try Children.request(.argv(["sleep", "1000"])) { $0.qos = qos })
    defer { Children.end(child, by: SIGKILL) }
    let stat = try String(contentsOfFile: "/proc/\(child.pid)/stat", encoding: .utf8)
    let fields = stat[(try #require(stat.lastIndex(of: ")")))...].split(separator: " ")
    let work = qos.workClass
    // A better nice value needs a privilege; without it the child has takt's own.
    let refused = work.refusals().contains { $0.hasPrefix("nice") }
    #expect(
      fields[17]
        == "\(refused ? getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0) : work.nice)")
    #expect(fields[39] == "\(work.policy.number)")
    #expect(Self.ioPriorities(work).contains(csystem_io_priority(child.pid)))
    // Only a privileged process may read it of another one.
    if geteuid() == 0 {
      let slack = try String(contentsOfFile: "/proc/\(child.pid)/timerslack_ns", encoding: .utf8)
      #expect(
        slack.trimmingCharacters(in: .whitespacesAndNewlines) == "\(work.request.timer_slack_ns)")
    }
    // If the kernel groups sessions, it weighs this one by the class. It accepts one request of all
    // unprivileged processes in a tenth of a second.
    let isGrouping = try? String(
      contentsOfFile: "/proc/sys/kernel/sched_autogroup_enabled", encoding: .utf8)
    if isGrouping == "1\n", !refused, geteuid() == 0 {
      let group = try String(contentsOfFile: "/proc/\(child.pid)/autogroup", encoding: .utf8)
      #expect(group.hasSuffix(" nice \(work.nice)\n"))
    }
  }

  /// Some kernels answer with the value that follows from the nice value, others that none was set.
  private static func ioPriorities(_ work: WorkClass) -> [Int32] {
    work.inputOutput == .byNice ? [0, 2 << 13 | (work.nice + 20) / 5] : [work.inputOutput.number]
  }

  @Test(
    arguments: [
      (7, .idle, 3 << 13), (19, .bestEffort(7), 2 << 13 | 7), (nil, .bestEffort(0), 2 << 13),
      (3, nil, nil),
    ] as [(Int8?, InputOutputPriority?, Int32?)])
  func `a living child has the priorities that its job names`(
    nice: Int8?, inputOutput: InputOutputPriority?, number: Int32?
  ) throws {
    let child = try Spawn.start(
      try Children.request(.argv(["sleep", "1000"])) {
        ($0.nice, $0.inputOutput) = (nice, inputOutput)
      })
    defer { Children.end(child, by: SIGKILL) }
    let stat = try String(contentsOfFile: "/proc/\(child.pid)/stat", encoding: .utf8)
    let fields = stat[(try #require(stat.lastIndex(of: ")")))...].split(separator: " ")
    #expect(fields[17] == "\(nice ?? 0)")
    if let number { #expect(csystem_io_priority(child.pid) == number) }
  }

  @Test func `a priority that the system refuses keeps the child from starting`() throws {
    // A class that no kernel has, with any rights of takt.
    #expect(
      try Children.failure(.argv(["true"])) { $0.inputOutput = .bestEffort(5 << 13) }
        == "ionice EINVAL")
  }

  @Test(arguments: ["", "idle:", "best-effort:", "best-effort:12", "realtime:-1", "none", "IDLE"])
  func `what is no I/O priority is refused`(text: String) {
    #expect(InputOutputPriority(text) == nil)
  }

  @Test(arguments: ["idle", "best-effort:0", "realtime:7"])
  func `an I/O priority is shown as it is written`(text: String) {
    #expect(InputOutputPriority(text)?.description == text)
  }

  @Test func `classes grow gentler from the first to the last`() {
    let all = QoS.allCases.map(\.workClass)
    for (above, below) in zip(all, all.dropFirst()) {
      #expect(above.nice <= below.nice)
      #expect(above.timerSlack <= below.timerSlack)
    }
  }

  @Test func `a class that the system gives in full is not warned of`() {
    var execution = Execution()
    execution.qos = .background
    let jobs = JobName("job").map {
      [
        JobSpec(
          name: $0, timing: Timing(schedule: Schedule(every: Every(.seconds(1)))),
          action: .shell("true"), execution: execution)
      ]
    }
    #expect(Snapshot(jobs: jobs ?? []).degradedClasses() == nil)
  }

  @Test func `the documentation shows the table`() throws {
    let text = try Repository.text("docs/runs.md")
    for qos in QoS.allCases {
      let work = qos.workClass
      let io =
        switch work.inputOutput {
        case .byNice: "by nice value"
        case .bestEffort(let level): "best effort, \(level)"
        case .realtime(let level): "real time, \(level)"
        case .idle: "idle"
        }
      let microseconds = work.timerSlack / .microseconds(1)
      let slack = microseconds < 1000 ? "\(Int(microseconds)) µs" : "\(Int(microseconds / 1000)) ms"
      let row = "| `\(qos.rawValue)` | \(work.nice) | \(io) | \(work.policy.rawValue) | \(slack) |"
      #expect(text.contains(row), "\(row)")
    }
  }
}
