import Foundation
import Synchronization
import TaktCore
import Testing

@testable import TaktEngine
import TaktTime

/// Real processes without a scheduler.
@Suite struct ProcessRunnerTests {
  private func run(
    _ script: String, sink: RecordingSink, stopWith signal: StopSignal? = nil
  ) async throws -> [SchedulerEvent] {
    let (events, continuation) = AsyncStream<SchedulerEvent>.makeStream()
    let processes = try ProcessRunner(reactor: try Reactor(), sink: sink)
    let runner = CommandRunner(processes: processes) { continuation.yield($0) }
    let name = try #require(JobName("job"))
    let spec = JobSpec(
      name: name, timing: Timing(schedule: Schedule(every: Every(.seconds(1)))),
      action: .shell(script))
    runner.start([
      AttemptRequest(run: RunID(1), attempt: 1, spec: spec, slot: WallInstant(milliseconds: 0))
    ])
    if let signal { runner.stop(RunID(1), signal: signal) }
    var seen: [SchedulerEvent] = []
    for await event in events {
      seen.append(event)
      switch event {
      case .actionEnded(_, let report) where !report.descendants.isEmpty:
        runner.stop(RunID(1), signal: .kill)
      case .actionEnded, .groupEnded: return seen
      default: break
      }
    }
    return seen
  }

  /// A user database whose server does not answer.
  private struct SilentAccounts: AccountSource {
    let answer = DispatchSemaphore(value: 0)

    func account(for identity: UserAndGroup) -> Account? {
      answer.wait()
      return nil
    }
  }

  /// The reports of a runner, one after the other.
  private final class EventLog: Sendable {
    private let events = Mutex<[SchedulerEvent]>([])
    private let hasCome = DispatchSemaphore(value: 0)

    func add(_ event: SchedulerEvent) {
      events.withLock { $0.append(event) }
      hasCome.signal()
    }

    /// Blocks its thread.
    func next() -> SchedulerEvent {
      hasCome.wait()
      return events.withLock { $0.removeFirst() }
    }
  }

  /// Waits on its own thread: a look-up has a limit of its own, and a test that is resumed late
  /// would see that instead.
  @Test func `a look-up that hangs keeps no other start waiting, and its run can be killed`() throws
  {
    let accounts = SilentAccounts()
    let events = EventLog()
    let processes = try ProcessRunner(
      reactor: try Reactor(), sink: RecordingSink(), accounts: accounts)
    let runner = CommandRunner(processes: processes) { events.add($0) }
    var stuck = try Children.request(.argv(["true"])) { $0.identity.user = "somebody" }
    stuck.run = RunID(1)
    var other = try Children.request(.argv(["true"]))
    other.run = RunID(2)
    runner.start([stuck, other])
    guard case .actionEnded(RunID(2), let end) = events.next() else {
      Issue.record("the other one has not ended")
      return
    }
    #expect(end.result == .exited(0))
    runner.stop(RunID(1), signal: .terminate)
    runner.stop(RunID(1), signal: .kill)
    guard case .actionEnded(RunID(1), let given) = events.next() else {
      Issue.record("the one that is stuck has not ended")
      return
    }
    #expect(given.result == .notStarted(.process, errno: ECANCELED))
    // The answer comes too late.
    accounts.answer.signal()
  }

  @Test(arguments: [nil, StopSignal.terminate])
  func `it is known whether a command has ended before it was asked to`(signal: StopSignal?)
    async throws
  {
    let script = signal == nil ? "exit 3" : "trap 'exit 3' TERM; while :; do sleep 0.01; done"
    let events = try await run(script, sink: RecordingSink(), stopWith: signal)
    let report = try #require(
      events.compactMap { event -> AttemptReport? in
        if case .actionEnded(_, let report) = event { report } else { nil }
      }.first)
    #expect(report.endedUnasked == (signal == nil))
  }

  @Test func `lines come whole from both streams, the last one without its end too`() async throws {
    let sink = RecordingSink()
    _ = try await run("printf 'a\\nb'; printf 'long%s\\n' $(seq 1 3) 1>&2", sink: sink)
    #expect(sink.lines.withLock(\.self).sorted() == ["a", "b", "long1", "long2", "long3"])
  }

  @Test func `a line without end is cut and nothing of it is kept`() async throws {
    let sink = RecordingSink()
    _ = try await run("head -c 20000 /dev/zero | tr '\\0' x", sink: sink)
    #expect(sink.lines.withLock { $0.map(\.utf8.count) } == [8192, 8192, 3616])
  }

  @Test func `what the log has no room for is counted, and the child continues`() async throws {
    let sink = RecordingSink(hasRoom: false)
    let events = try await run("yes | head -n 100000", sink: sink)
    #expect(sink.dropped.withLock(\.self) == 100_000)
    guard case .actionEnded(_, let report) = events.last, report.result == .exited(0) else {
      Issue.record("\(events)")
      return
    }
  }

  @Test func `a signal that comes before the child has started reaches it`() async throws {
    let events = try await run("exec sleep 1000", sink: RecordingSink(), stopWith: .terminate)
    guard case .actionEnded(_, let report) = events.last, report.result == .signalled(15) else {
      Issue.record("\(events)")
      return
    }
  }

  @Test func `descendants are counted, signalled, and their end is reported`() async throws {
    let events = try await run("sleep 1000 & sleep 1001 & exit 5", sink: RecordingSink())
    guard case .actionEnded(_, let report) = events.first, report.result == .exited(5),
      report.descendants.count == 2,
      case .groupEnded = events.last
    else {
      Issue.record("\(events)")
      return
    }
  }

  @Test func `the starter of a command without a job gets its end, and no other's`() async throws {
    let runner = try ProcessRunner(reactor: try Reactor(), sink: RecordingSink())
    let (ends, continuation) = AsyncStream<[Int32: AttemptResult]>.makeStream()
    runner.start(
      [Int32(0), 3].map { status in
        var command = Command(
          ["/bin/sh", "-c", "exit \(status)"], Execution(),
          origin: Command.Origin(owner: "somebody"), labels: [])
        command.observe = { event in
          if case .ended(let end) = event { continuation.yield([status: end.result]) }
        }
        return command
      })
    var seen: [Int32: AttemptResult] = [:]
    for await end in ends {
      seen.merge(end) { $1 }
      if seen.count == 2 { break }
    }
    #expect(seen == [0: .exited(0), 3: .exited(3)])
  }
}
