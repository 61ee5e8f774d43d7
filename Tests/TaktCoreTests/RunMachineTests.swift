import Testing

@testable import TaktCore

@Suite struct RunMachineTests {
  private func machine(timeout: Duration? = nil) -> RunMachine {
    RunMachine(
      execution: Execution(timeout: timeout, stop: StopPolicy(grace: .seconds(5))))
  }

  @Test func `a run that ends by itself is queued, running, ended`() {
    var run = machine(timeout: .seconds(60))
    #expect(
      run.start() == [
        .transition(from: .queued, to: .running(attempt: 1), cause: "start"), .startAttempt(1),
        .armTimer(.seconds(60)),
      ])
    let end = RunState.ended(RunEnd(.failed, .exit(3)))
    #expect(
      run.attemptEnded(.exited(3), descendants: 0) == [
        .transition(from: .running(attempt: 1), to: end, cause: "attempt_ended"), .disarmTimer,
      ])
    #expect(run.state == end)
  }

  @Test func `a timeout asks the group to end, and the grace kills it`() {
    var run = machine(timeout: .seconds(60))
    _ = run.start()
    let stopping = RunState.stopping(.timeout, result: nil)
    #expect(
      run.timerFired() == [
        .transition(from: .running(attempt: 1), to: stopping, cause: "timeout"), .signalGroup,
        .armTimer(.seconds(5)),
      ])
    #expect(
      run.timerFired() == [
        .transition(from: stopping, to: .killing(.timeout, result: nil), cause: "grace_over"),
        .killGroup, .disarmTimer,
      ])
    _ = run.attemptEnded(.signalled(9), descendants: 0)
    #expect(run.state == .ended(RunEnd(.timedOut, .timeout)))
  }

  @Test func `descendants that are left are ended before the run is`() {
    var run = machine()
    _ = run.start()
    #expect(run.attemptEnded(.exited(0), descendants: 2).contains(.signalGroup))
    #expect(run.state == .stopping(.descendants(2), result: .exited(0)))
    #expect(run.timerFired().contains(.killGroup))
    _ = run.groupEnded()
    #expect(run.state == .ended(RunEnd(.succeeded, .descendantsLeft(2))))
  }

  /// Every event in every state: what a state does not expect changes nothing and asks for nothing.
  @Test func `each state answers each event as its table says`() {
    let events: [(name: String, apply: (inout RunMachine) -> [RunMachine.Effect])] = [
      ("start", { $0.start() }),
      ("attemptEnded", { $0.attemptEnded(.exited(0), descendants: 0) }),
      ("descendants", { $0.attemptEnded(.exited(0), descendants: 1) }),
      ("groupEnded", { $0.groupEnded() }),
      ("timer", { $0.timerFired() }),
      ("stop", { $0.stop(.shutdown) }),
      ("hurry", { $0.hurry() }),
      ("giveUp", { $0.giveUp(.removed) }),
    ]
    let states: [(name: String, make: () -> RunMachine)] = [
      ("queued", { machine() }),
      (
        "running",
        {
          var run = machine(); _ = run.start(); return run
        }
      ),
      (
        "stopping",
        {
          var run = machine(); _ = run.start(); _ = run.stop(.shutdown); return run
        }
      ),
      (
        "killing",
        {
          var run = machine(); _ = run.start(); _ = run.hurry(); return run
        }
      ),
      (
        "ended",
        {
          var run = machine(); _ = run.giveUp(.removed); return run
        }
      ),
    ]
    let table = [
      "queued": "running queued queued queued queued queued queued ended",
      "running": "running ended stopping running stopping stopping killing running",
      "stopping": "stopping ended stopping stopping killing stopping killing stopping",
      "killing": "killing ended killing killing killing killing killing killing",
      "ended": "ended ended ended ended ended ended ended ended",
    ]
    for state in states {
      let expected = table[state.name]?.split(separator: " ").map(String.init) ?? []
      for (event, next) in zip(events, expected) {
        var run = state.make()
        let before = run.state
        let effects = event.apply(&run)
        #expect(run.state.name == next, "\(state.name) + \(event.name)")
        if run.state == before { #expect(effects.isEmpty, "\(state.name) + \(event.name)") }
      }
    }
  }
}
