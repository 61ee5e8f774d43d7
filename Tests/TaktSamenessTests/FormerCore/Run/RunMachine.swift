package import TaktTime

/// One run, from its place in the queue to its end: a pure machine. Each function is an event and
/// returns what is to be done; an event that a state does not expect changes nothing.
///
/// `RunMachine.table` is the diagram of its states, and a test holds the machine against it.
package struct RunMachine: Hashable, Sendable {
  package enum Effect: Hashable, Sendable {
    /// Start this step of this attempt; it will be stopped at the deadline.
    case startAction(attempt: Int, step: Int, deadline: MonotonicInstant?)
    /// Send what the attempt has started the job's stop signal.
    case signalGroup
    /// Send what the attempt has started SIGKILL.
    case killGroup
    /// Call `timerFired` at this instant, in place of any earlier wish.
    case armTimer(MonotonicInstant)
    case disarmTimer
    /// The place among the running is free.
    case leavePlace
    /// Call `start` when a place is free.
    case awaitPlace
    case transition(from: RunState, to: RunState, cause: String)
  }

  package struct StepFailure: Hashable, Sendable {
    package var end: RunEnd
    /// Which, from 0.
    package var step: Int
  }

  package private(set) var state: RunState = .queued
  /// The attempt in progress, or the last one; 0 before the first.
  package private(set) var attempt = 0
  /// The step in progress, or the last one, from 0.
  package private(set) var step = 0
  private var deadline: MonotonicInstant?
  /// The first failure of the present attempt, where later steps go on, and its step from 0.
  package private(set) var failure: StepFailure?
  /// How the last step failed; nil when it succeeded.
  package private(set) var stepFailure: RunEnd?
  private(set) var lastFailure: RunEnd?
  /// The job's next slot is due, and the run was to go on trying until then.
  private var isLastAttempt = false
  /// Why nothing is to come after what is being stopped already for another reason.
  private var unwanted: RunReason?
  private var shared: Shared<RunRules>
  /// What makes the jitter of this run's back-offs.
  private let seed: UInt64

  /// A queued run under a job's rules; equal seeds make equal back-offs.
  package init(rules: RunRules, seed: UInt64 = 0) {
    shared = Shared(rules)
    self.seed = seed
  }

  /// Whether a process or a built-in's work is in progress.
  package var isInProgress: Bool {
    switch state {
    case .running, .stopping, .killing: true
    case .queued, .backingOff, .ended: false
    }
  }

  /// The job has changed: what comes next follows the new rules, an attempt in progress the old.
  package mutating func adopt(_ rules: RunRules) {
    if !isInProgress { shared = Shared(rules) }
  }

  private var rules: RunRules { shared.value }

  // MARK: Events

  /// A place is free.
  package mutating func start(at now: MonotonicInstant) -> [Effect] {
    switch state {
    case .queued:
      attempt += 1
      step = 0
      failure = nil
      stepFailure = nil
      deadline = rules.timeout.map { now + $0 }
      return [move(to: .running(attempt: attempt), attempt == 1 ? "start" : "retry")] + action()
    case .running, .stopping, .killing, .backingOff, .ended:
      return []
    }
  }

  /// It goes on where a former takt has left it: with so many attempts behind it.
  package mutating func resume(after attempts: Int, _ end: RunEnd, until: MonotonicInstant)
    -> [Effect]
  {
    switch state {
    case .queued where attempt == 0:
      attempt = attempts
      lastFailure = end
      return [move(to: .backingOff(until: until, after: end), "resume"), .armTimer(until)]
    case .queued, .running, .stopping, .killing, .backingOff, .ended:
      return []
    }
  }

  /// The process or work of the present step has ended, or could not be started.
  package mutating func actionEnded(
    _ report: AttemptReport, at now: MonotonicInstant
  ) -> [Effect] {
    switch state {
    case .running:
      if report.descendants.isEmpty { return actionOver(report, after: nil, "action_ended", now) }
      return stopGroup(.descendants(report.descendants), report: report, now)
    case .stopping(let cause, nil):
      if report.descendants.isEmpty { return actionOver(report, after: cause, "action_ended", now) }
      state = .stopping(cause, report: report)
      return []
    case .killing(let cause, nil):
      if report.descendants.isEmpty { return actionOver(report, after: cause, "action_ended", now) }
      state = .killing(cause, report: report)
      return []
    case .queued, .stopping, .killing, .backingOff, .ended:
      return []
    }
  }

  /// Nothing is left of what the present step has started.
  package mutating func groupEnded(at now: MonotonicInstant) -> [Effect] {
    switch state {
    case .stopping(let cause, let report?), .killing(let cause, let report?):
      return actionOver(report, after: cause, "group_ended", now)
    case .queued, .running, .stopping, .killing, .backingOff, .ended:
      return []
    }
  }

  /// The time asked for by `armTimer` is over.
  package mutating func timerFired(at now: MonotonicInstant) -> [Effect] {
    switch state {
    case .running:
      return stopGroup(.timeout, report: nil, now)
    case .stopping(let cause, let report):
      return killGroup(cause, report: report, "grace_over")
    case .backingOff:
      return [move(to: .queued, "delay_over"), .awaitPlace]
    case .queued, .killing, .ended:
      return []
    }
  }

  /// The run is no longer wanted: what is in progress is asked to end, what waits ends at once.
  package mutating func stop(_ cause: StopCause, at now: MonotonicInstant) -> [Effect] {
    switch state {
    case .running:
      return stopGroup(cause, report: nil, now)
    case .queued, .backingOff:
      return end(RunEnd(.cancelled, cause.cancellation ?? .shutdown), cause.name)
    case .stopping, .killing:
      unwanted = unwanted ?? cause.cancellation
      return []
    case .ended:
      return []
    }
  }

  /// takt stops and somebody is in a hurry: no grace.
  package mutating func hurry() -> [Effect] {
    unwanted = unwanted ?? .shutdown
    switch state {
    case .running: return killGroup(.shutdown, report: nil, "hurry")
    case .stopping(let cause, let report): return killGroup(cause, report: report, "hurry")
    case .queued, .backingOff: return end(RunEnd(.cancelled, .shutdown), "hurry")
    case .killing, .ended: return []
    }
  }

  /// The job's next slot is due. Under `until: next_slot` a run that has failed gives up.
  package mutating func nextSlotCame() -> [Effect] {
    guard rules.retry.end == .nextSlot else { return [] }
    switch state {
    case .queued, .backingOff:
      guard let lastFailure else { return [] }
      return end(lastFailure, "next_slot")
    case .running, .stopping, .killing:
      isLastAttempt = true
      return []
    case .ended:
      return []
    }
  }

  /// The job is gone: the attempt in progress is the last.
  package mutating func allowNoRetry() -> [Effect] {
    isLastAttempt = true
    return []
  }

  // MARK: Ways

  private func action() -> [Effect] {
    [.startAction(attempt: attempt, step: step, deadline: deadline)]
      + (deadline.map { [.armTimer($0)] } ?? [.disarmTimer])
  }

  private mutating func stopGroup(
    _ cause: StopCause, report: AttemptReport?, _ now: MonotonicInstant
  ) -> [Effect] {
    [
      move(to: .stopping(cause, report: report), cause.name), .signalGroup,
      .armTimer(now + rules.grace),
    ]
  }

  private mutating func killGroup(
    _ cause: StopCause, report: AttemptReport?, _ why: String
  ) -> [Effect] {
    [move(to: .killing(cause, report: report), why), .killGroup, .disarmTimer]
  }

  /// Nothing of the present step is left.
  private mutating func actionOver(
    _ report: AttemptReport, after cause: StopCause?, _ why: String, _ now: MonotonicInstant
  ) -> [Effect] {
    if let reason = cause?.cancellation { return end(RunEnd(.cancelled, reason), why) }
    if cause == .timeout { return attemptOver(RunEnd(.timedOut, .timeout), why, now) }
    var end = report.judged(by: rules.success)
    if case .descendants(let left) = cause, end.outcome == .succeeded {
      end.reason = .descendantsLeft(left.count)
    }
    stepFailure = end.outcome == .succeeded ? nil : end
    if let stepFailure, failure == nil { failure = StepFailure(end: stepFailure, step: step) }
    let continues = end.outcome == .succeeded || rules.continues[step]
    guard step + 1 < rules.continues.count, continues else {
      return attemptOver(failure?.end ?? end, why, now)
    }
    if let unwanted { return self.end(RunEnd(.cancelled, unwanted), why) }
    step += 1
    return [move(to: .running(attempt: attempt), "next_step")] + action()
  }

  private mutating func attemptOver(
    _ end: RunEnd, _ why: String, _ now: MonotonicInstant
  ) -> [Effect] {
    guard end.outcome != .succeeded, attempt < rules.retry.attempts, !isLastAttempt,
      unwanted == nil, rules.retry.retries(end)
    else { return self.end(end, why) }
    lastFailure = end
    let until = now + rules.retry.backOff(after: attempt, chance: chance())
    return [move(to: .backingOff(until: until, after: end), why), .leavePlace, .armTimer(until)]
  }

  /// From 0 up to 1, by the seed and the attempt alone: the finaliser of SplitMix64.
  private func chance() -> Double {
    var bits = (seed &+ UInt64(attempt)) &* 0x9e37_79b9_7f4a_7c15
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((bits ^ (bits >> 31)) >> 11) / Double(1 << 53)
  }

  private mutating func end(_ end: RunEnd, _ cause: String) -> [Effect] {
    [move(to: .ended(end), cause), .disarmTimer, .leavePlace]
  }

  private mutating func move(to next: RunState, _ cause: String) -> Effect {
    let previous = state
    state = next
    return .transition(from: previous, to: next, cause: cause)
  }
}
