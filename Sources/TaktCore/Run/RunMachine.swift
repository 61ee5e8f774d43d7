/// One run, from its place in the queue to its end: a pure machine. Each function is an event and
/// returns what is to be done; an event that a state does not expect changes nothing.
///
/// | state | start | attemptEnded | groupEnded | timer | stop | hurry | give up |
/// |---|---|---|---|---|---|---|---|
/// | queued | running | – | – | – | – | – | ended |
/// | running | – | ended, or stopping where descendants are left | – | stopping (timeout) | stopping | killing | – |
/// | stopping | – | ended, or stopping | ended | killing | – | killing | – |
/// | killing | – | ended, or killing | ended | – | – | – | – |
/// | ended | – | – | – | – | – | – | – |
public struct RunMachine: Sendable {
  /// What is to be done.
  public enum Effect: Hashable, Sendable {
    /// Start this attempt.
    case startAttempt(Int)
    /// Send the attempt's group the job's stop signal.
    case signalGroup
    /// Send the attempt's group SIGKILL.
    case killGroup
    /// Call `timerFired` after this time, in place of any earlier wish.
    case armTimer(Duration)
    /// Never mind the timer.
    case disarmTimer
    /// The state has changed.
    case transition(from: RunState, to: RunState, cause: String)
  }

  /// Where it stands.
  public private(set) var state: RunState = .queued
  let timeout: Duration?
  let grace: Duration

  /// A queued run under a job's rules for its execution.
  public init(execution: Execution) {
    timeout = execution.timeout
    grace = execution.stop.grace
  }

  /// A place is free.
  public mutating func start() -> [Effect] {
    switch state {
    case .queued:
      let timer = timeout.map { [Effect.armTimer($0)] } ?? []
      return [move(to: .running(attempt: 1), "start"), .startAttempt(1)] + timer
    case .running, .stopping, .killing, .ended:
      return []
    }
  }

  /// The attempt's process has ended, or could not be started, and left `descendants` in its group.
  public mutating func attemptEnded(_ result: AttemptResult, descendants: Int) -> [Effect] {
    switch state {
    case .running:
      if descendants == 0 { return end(result.end, "attempt_ended") }
      return stopGroup(.descendants(descendants), result: result)
    case .stopping(let cause, _):
      if descendants == 0 { return end(Self.end(cause, result), "attempt_ended") }
      state = .stopping(cause, result: result)
      return []
    case .killing(let cause, _):
      if descendants == 0 { return end(Self.end(cause, result), "attempt_ended") }
      state = .killing(cause, result: result)
      return []
    case .queued, .ended:
      return []
    }
  }

  /// Nothing is left of the attempt's group.
  public mutating func groupEnded() -> [Effect] {
    switch state {
    case .stopping(let cause, let result?), .killing(let cause, let result?):
      return end(Self.end(cause, result), "group_ended")
    case .queued, .running, .stopping, .killing, .ended:
      return []
    }
  }

  /// The time asked for by `armTimer` is over.
  public mutating func timerFired() -> [Effect] {
    switch state {
    case .running:
      return stopGroup(.timeout, result: nil)
    case .stopping(let cause, let result):
      return killGroup(cause, result: result, "grace_over")
    case .queued, .killing, .ended:
      return []
    }
  }

  /// takt stops and will wait no longer.
  public mutating func stop(_ cause: StopCause) -> [Effect] {
    switch state {
    case .running: return stopGroup(cause, result: nil)
    case .queued, .stopping, .killing, .ended: return []
    }
  }

  /// takt stops and somebody is in a hurry: no grace.
  public mutating func hurry() -> [Effect] {
    switch state {
    case .running: return killGroup(.shutdown, result: nil, "hurry")
    case .stopping(let cause, let result): return killGroup(cause, result: result, "hurry")
    case .queued, .killing, .ended: return []
    }
  }

  /// The run will never start.
  public mutating func giveUp(_ reason: RunReason) -> [Effect] {
    switch state {
    case .queued: return end(RunEnd(.cancelled, reason), "\(reason)")
    case .running, .stopping, .killing, .ended: return []
    }
  }

  private mutating func stopGroup(_ cause: StopCause, result: AttemptResult?) -> [Effect] {
    [move(to: .stopping(cause, result: result), cause.name), .signalGroup, .armTimer(grace)]
  }

  private mutating func killGroup(
    _ cause: StopCause, result: AttemptResult?, _ why: String
  ) -> [Effect] {
    [move(to: .killing(cause, result: result), why), .killGroup, .disarmTimer]
  }

  private mutating func end(_ end: RunEnd, _ cause: String) -> [Effect] {
    [move(to: .ended(end), cause), .disarmTimer]
  }

  private mutating func move(to next: RunState, _ cause: String) -> Effect {
    let previous = state
    state = next
    return .transition(from: previous, to: next, cause: cause)
  }

  private static func end(_ cause: StopCause, _ result: AttemptResult) -> RunEnd {
    switch cause {
    case .timeout: return RunEnd(.timedOut, .timeout)
    case .shutdown: return RunEnd(.cancelled, .shutdown)
    case .descendants(let count):
      let end = result.end
      return end.outcome == .succeeded ? RunEnd(.succeeded, .descendantsLeft(count)) : end
    }
  }
}
