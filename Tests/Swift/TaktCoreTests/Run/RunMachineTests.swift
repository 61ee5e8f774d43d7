import TestSupport
import Testing

@testable import TaktCore
import TaktTime

@Suite struct RunMachineTests {
  private func machine(
    timeout: Duration? = nil, retry: RetryPolicy = RetryPolicy(), steps: [Step]? = nil
  ) throws -> RunMachine {
    let spec = JobSpec(
      name: try #require(JobName("job")), timing: Timing(schedule: Schedule()),
      action: steps.map(Action.steps) ?? .shell("true"),
      execution: Execution(timeout: timeout, stop: StopPolicy(grace: .seconds(5)), retry: retry))
    return RunMachine(rules: RunRules(spec))
  }

  private func at(_ seconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: seconds * 1_000_000_000)
  }

  private let left = [Descendant(pid: 7, name: "sleep"), Descendant(pid: 8, name: "sh")]

  @Test func `a run that ends by itself is queued, running, ended`() throws {
    var run = try machine(timeout: .seconds(60))
    #expect(
      run.start(at: at(0))
        == RunRequests(
          move: RunMove(from: .queued, cause: .start),
          action: RunRequests.Start(attempt: 1, step: 0, deadline: at(60)), timer: .arm(at(60))))
    #expect(run.state == .running(attempt: 1))
    let end = RunState.ended(RunEnd(.failed, .exit(3)))
    #expect(
      run.actionEnded(AttemptReport(.exited(3)), at: at(1))
        == RunRequests(
          move: RunMove(from: .running, cause: .actionEnded), timer: .disarm, place: .release))
    #expect(run.state == end)
  }

  @Test func `a timeout asks the group to end, and the grace kills it`() throws {
    var run = try machine(timeout: .seconds(60))
    _ = run.start(at: at(0))
    #expect(
      run.timerFired(at: at(60))
        == RunRequests(
          move: RunMove(from: .running, cause: .timeout), signal: .stop, timer: .arm(at(65))))
    #expect(run.state == .stopping(.timeout, report: nil))
    #expect(
      run.timerFired(at: at(65))
        == RunRequests(
          move: RunMove(from: .stopping, cause: .graceOver), signal: .kill, timer: .disarm))
    #expect(run.state == .killing(.timeout, report: nil))
    _ = run.actionEnded(AttemptReport(.signalled(9)), at: at(65))
    #expect(run.state == .ended(RunEnd(.timedOut, .timeout)))
  }

  @Test func `descendants that are left are ended before the run is`() throws {
    var run = try machine()
    _ = run.start(at: at(0))
    let report = AttemptReport(.exited(0), descendants: left)
    #expect(run.actionEnded(report, at: at(1)).signal == .stop)
    #expect(run.state == .stopping(.descendants(left), report: report))
    #expect(run.timerFired(at: at(6)).signal == .kill)
    _ = run.groupEnded(at: at(7))
    #expect(run.state == .ended(RunEnd(.succeeded, .descendantsLeft(2))))
  }

  @Test func `an attempt that failed backs off, longer each time, until none is left`() throws {
    var run = try machine(
      retry: RetryPolicy(attempts: 4, delay: .seconds(10), factor: 3, delayMax: .seconds(60)))
    let failed = AttemptReport(.exited(1))
    var delays: [Duration] = []
    for attempt in 1...3 {
      _ = run.start(at: at(0))
      #expect(run.attempt == attempt)
      let effects = run.actionEnded(failed, at: at(0))
      #expect(effects.place == .release)
      guard case .backingOff(let until, RunEnd(.failed, .exit(1))) = run.state else {
        Issue.record("\(run.state)")
        return
      }
      delays.append(until - at(0))
      #expect(run.timerFired(at: until).place == .await)
      #expect(run.state == .queued)
    }
    #expect(delays == [.seconds(10), .seconds(30), .seconds(60)])
    _ = run.start(at: at(0))
    _ = run.actionEnded(failed, at: at(0))
    #expect(run.state == .ended(RunEnd(.failed, .exit(1))))
  }

  @Test func `a cause that is not tried again ends the run`() throws {
    var run = try machine(timeout: .seconds(1), retry: RetryPolicy(attempts: 3, causes: [.exit]))
    _ = run.start(at: at(0))
    _ = run.timerFired(at: at(1))
    _ = run.actionEnded(AttemptReport(.signalled(15)), at: at(1))
    #expect(run.state == .ended(RunEnd(.timedOut, .timeout)))
  }

  @Test(arguments: [
    (AttemptResult.exited(75), true), (.exited(1), false), (.signalled(11), false),
  ])
  func `with exit statuses, a run is tried again after these alone`(
    result: AttemptResult, isRetried: Bool
  ) throws {
    var run = try machine(retry: RetryPolicy(attempts: 3, causes: [], exitStatuses: [75]))
    _ = run.start(at: at(0))
    _ = run.actionEnded(AttemptReport(result), at: at(1))
    #expect((run.state.kind == .backingOff) == isRetried)
  }

  @Test func `a run that tries until the next slot gives up when it comes`() throws {
    let retry = RetryPolicy(attempts: 9, end: .nextSlot)
    var waiting = try machine(retry: retry)
    _ = waiting.start(at: at(0))
    _ = waiting.actionEnded(AttemptReport(.exited(4)), at: at(1))
    _ = waiting.nextSlotDue()
    #expect(waiting.state == .ended(RunEnd(.failed, .exit(4))))

    var busy = try machine(retry: retry)
    _ = busy.start(at: at(0))
    #expect(busy.nextSlotDue() == .none)
    _ = busy.actionEnded(AttemptReport(.exited(5)), at: at(1))
    #expect(busy.state == .ended(RunEnd(.failed, .exit(5))))
  }

  @Test func `the jitter of a back-off only lengthens it, and is the same for the same seed`() {
    let retry = RetryPolicy(attempts: 3, delay: .seconds(10), jitterPercent: 50)
    #expect(retry.backOff(after: 1, chance: 0) == .seconds(10))
    #expect(retry.backOff(after: 1, chance: 0.5) == .milliseconds(12_500))
    #expect(retry.backOff(after: 2, chance: 1) == .seconds(30))
  }

  @Test func `steps follow one another, and the first failure ends the attempt`() throws {
    var run = try machine(
      timeout: .seconds(9), steps: [Step(.shell("a")), Step(.shell("b")), Step(.shell("c"))])
    _ = run.start(at: at(0))
    #expect(
      run.actionEnded(AttemptReport(.exited(0)), at: at(4))
        == RunRequests(
          move: RunMove(from: .running, cause: .nextStep),
          action: RunRequests.Start(attempt: 1, step: 1, deadline: at(9)), timer: .arm(at(9))))
    #expect(run.state == .running(attempt: 1))
    _ = run.actionEnded(AttemptReport(.exited(2)), at: at(5))
    #expect(run.state == .ended(RunEnd(.failed, .exit(2))))
  }

  @Test func `a step that continues lets the others be done, and the run has failed all the same`()
    throws
  {
    var run = try machine(steps: [Step(.shell("a"), continues: true), Step(.shell("b"))])
    _ = run.start(at: at(0))
    _ = run.actionEnded(AttemptReport(.exited(7)), at: at(1))
    #expect(run.step == 1)
    _ = run.actionEnded(AttemptReport(.exited(0)), at: at(2))
    #expect(run.state == .ended(RunEnd(.failed, .exit(7))))
  }

  @Test func `a failed step with continue ignore does not fail the run`() throws {
    var run = try machine(steps: [Step(.shell("a"), isFailureIgnored: true), Step(.shell("b"))])
    _ = run.start(at: at(0))
    _ = run.actionEnded(AttemptReport(.exited(7)), at: at(1))
    #expect(run.step == 1)
    #expect(run.stepFailure == RunEnd(.failed, .exit(7)) && run.failure == nil)
    _ = run.actionEnded(AttemptReport(.exited(0)), at: at(2))
    #expect(run.state == .ended(RunEnd(.succeeded, .exit(0))))
  }

  @Test func `the last step's failure is ignored too, and another one's is not`() throws {
    let ignored = Step(.shell("b"), isFailureIgnored: true)
    var alone = try machine(retry: RetryPolicy(attempts: 2), steps: [Step(.shell("a")), ignored])
    _ = alone.start(at: at(0))
    _ = alone.actionEnded(AttemptReport(.exited(0)), at: at(1))
    _ = alone.actionEnded(AttemptReport(.exited(7)), at: at(2))
    #expect(alone.state == .ended(RunEnd(.succeeded, .exit(7))))
    var both = try machine(steps: [Step(.shell("a"), continues: true), ignored])
    _ = both.start(at: at(0))
    _ = both.actionEnded(AttemptReport(.exited(3)), at: at(1))
    _ = both.actionEnded(AttemptReport(.exited(7)), at: at(2))
    #expect(both.state == .ended(RunEnd(.failed, .exit(3))))
    var first = try machine(steps: [Step(.shell("a")), ignored])
    _ = first.start(at: at(0))
    _ = first.actionEnded(AttemptReport(.exited(1)), at: at(1))
    #expect(first.state == .ended(RunEnd(.failed, .exit(1))))
  }

  @Test func `no attempt starts after the deadline of all attempts`() throws {
    let retry = RetryPolicy(attempts: 9, delay: .seconds(10), factor: 2, within: .seconds(60))
    var run = try machine(retry: retry)
    // The first one counts from its own start, however long it has waited.
    #expect(run.start(at: at(100)).timer == .arm(at(160)))
    _ = run.actionEnded(AttemptReport(.exited(1)), at: at(105))
    #expect(run.state == .backingOff(until: at(115), after: RunEnd(.failed, .exit(1))))
    #expect(run.timerFired(at: at(115)).timer == .arm(at(160)))
    #expect(run.start(at: at(120)).timer == .arm(at(160)))
    // The next pause would end with the deadline.
    _ = run.actionEnded(AttemptReport(.exited(2)), at: at(140))
    #expect(run.state == .ended(RunEnd(.failed, .exit(2))))
  }

  @Test func `an attempt that runs at the deadline of all attempts is stopped`() throws {
    let retry = RetryPolicy(attempts: 9, delay: .seconds(1), within: .seconds(60))
    var run = try machine(timeout: .seconds(40), retry: retry)
    #expect(run.start(at: at(0)).timer == .arm(at(40)))
    _ = run.actionEnded(AttemptReport(.exited(1)), at: at(30))
    _ = run.timerFired(at: at(31))
    let second = run.start(at: at(31))
    #expect(second.timer == .arm(at(60)) && second.action?.deadline == at(60))
    #expect(run.timerFired(at: at(60)).signal == .stop)
    _ = run.actionEnded(AttemptReport(.signalled(15)), at: at(61))
    #expect(run.state == .ended(RunEnd(.timedOut, .timeout)))
  }

  @Test func `a run that waits for a place gives up at the deadline of all attempts`() throws {
    let retry = RetryPolicy(attempts: 9, delay: .seconds(1), within: .seconds(60))
    var waiting = try machine(retry: retry)
    _ = waiting.start(at: at(0))
    _ = waiting.actionEnded(AttemptReport(.exited(1)), at: at(1))
    _ = waiting.timerFired(at: at(2))
    var late = waiting
    #expect(waiting.timerFired(at: at(59)) == .none)
    #expect(waiting.timerFired(at: at(60)).move == RunMove(from: .queued, cause: .deadline))
    #expect(waiting.state == .ended(RunEnd(.failed, .exit(1))))
    #expect(late.start(at: at(60)).action == nil)
    #expect(late.state == waiting.state)
    // Before its first attempt it has none.
    var first = try machine(retry: retry)
    #expect(first.timerFired(at: at(99)) == .none)
    #expect(first.start(at: at(99)).action != nil)
  }

  @Test func `the deadline of all attempts counts from the first, in whatever daemon`() throws {
    let retry = RetryPolicy(attempts: 9, within: .seconds(60))
    var run = try machine(retry: retry)
    _ = run.resume(after: 2, RunEnd(.failed, .exit(1)), until: at(110), firstStart: at(80))
    _ = run.timerFired(at: at(110))
    #expect(run.start(at: at(110)).timer == .arm(at(140)))
  }

  /// Walks through all that can happen and holds the machine against its table, both ways.
  @Test func `the machine makes all transitions of its table and no others`() throws {
    typealias Event = (name: RunMachine.EventName, apply: (inout RunMachine) -> Void)
    let (now, late) = (at(100), at(1000))
    let reports = [
      AttemptReport(.exited(0)), AttemptReport(.exited(1)),
      AttemptReport(.exited(0), descendants: left), AttemptReport(.exited(1), descendants: left),
    ]
    let events: [Event] =
      [
        (.start, { _ = $0.start(at: now) }), (.groupEnded, { _ = $0.groupEnded(at: now) }),
        (.timer, { _ = $0.timerFired(at: now) }), (.timer, { _ = $0.timerFired(at: late) }),
        (.start, { _ = $0.start(at: late) }), (.stop, { _ = $0.stop(.replaced, at: now) }),
        (.resume, { _ = $0.resume(after: 1, RunEnd(.failed, .exit(1)), until: now) }),
        (.hurry, { _ = $0.hurry() }), (.nextSlot, { _ = $0.nextSlotDue() }),
      ]
      + reports.map { report in (.actionEnded, { _ = $0.actionEnded(report, at: now) }) }
    var seen: [RunState.Kind: [RunMachine.EventName: Set<RunState.Kind>]] = [:]
    var front: Set = [
      try machine(
        timeout: .seconds(1), retry: RetryPolicy(attempts: 2, end: .nextSlot),
        steps: [Step(.shell("a"), continues: true), Step(.shell("b"))]),
      try machine(retry: RetryPolicy(attempts: 2, within: .seconds(60))),
    ]
    while !front.isEmpty {
      var next: Set<RunMachine> = []
      for machine in front {
        for event in events {
          var changed = machine
          event.apply(&changed)
          guard changed.state != machine.state || changed.step != machine.step else { continue }
          // A report that comes while others are still ending changes only the facts.
          if machine.state.kind != changed.state.kind || machine.state.kind == .running {
            seen[machine.state.kind, default: [:]][event.name, default: []].insert(
              changed.state.kind)
          }
          next.insert(changed)
        }
      }
      front = next
    }
    seen[.ended] = [:]
    #expect(seen == RunMachine.table)
  }

  /// A run that is stopped for a lost lease, and how its command ends then.
  private func endAfterLease(
    _ report: AttemptReport, retry: RetryPolicy = RetryPolicy(), steps: [Step]? = nil
  ) throws -> RunState {
    var run = try machine(retry: retry, steps: steps)
    _ = run.start(at: at(0))
    _ = run.stop(.leaseLost, at: at(1))
    _ = run.actionEnded(report, at: at(1))
    if !report.descendants.isEmpty { _ = run.groupEnded(at: at(2)) }
    return run.state
  }

  @Test func `a command that had ended before its lease was lost keeps its outcome`() throws {
    let lost = RunState.ended(RunEnd(.cancelled, .leaseLost))
    #expect(
      try endAfterLease(AttemptReport(.exited(0), endedUnasked: true))
        == .ended(RunEnd(.succeeded, .exit(0))))
    #expect(
      try endAfterLease(AttemptReport(.exited(3), descendants: left, endedUnasked: true))
        == .ended(RunEnd(.failed, .exit(3))))
    // It may have been asked, or the guard has ended it.
    #expect(try endAfterLease(AttemptReport(.exited(0))) == lost)
    #expect(try endAfterLease(AttemptReport(.signalled(9), endedUnasked: true)) == lost)
  }

  @Test func `a run that was to go on after its lease was lost is another machine's`() throws {
    let lost = RunState.ended(RunEnd(.cancelled, .leaseLost))
    let (good, bad) = (
      AttemptReport(.exited(0), endedUnasked: true), AttemptReport(.exited(3), endedUnasked: true)
    )
    let steps = [Step(.shell("a")), Step(.shell("b"))]
    #expect(try endAfterLease(good, steps: steps) == lost)
    #expect(try endAfterLease(bad, steps: steps) == .ended(RunEnd(.failed, .exit(3))))
    #expect(try endAfterLease(bad, retry: RetryPolicy(attempts: 2)) == lost)
    #expect(
      try endAfterLease(good, retry: RetryPolicy(attempts: 2))
        == .ended(RunEnd(.succeeded, .exit(0))))
    var run = try machine(timeout: .seconds(5), retry: RetryPolicy(attempts: 2))
    _ = run.start(at: at(0))
    _ = run.timerFired(at: at(5))
    _ = run.stop(.leaseLost, at: at(6))
    _ = run.actionEnded(AttemptReport(.signalled(15)), at: at(6))
    #expect(run.state == lost)
  }

  @Test func `the docs show the machine's table and diagram as they are`() throws {
    let path = Repository.path("docs/runs.md")
    try ReferenceFile(path: path, name: "run-machine").check(RunMachine.reference)
  }
}
