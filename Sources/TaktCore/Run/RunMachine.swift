package import TaktTime

/// One run, from its place in the queue to its end: a pure machine. Each function is an event and
/// returns its requests; an event that a state does not expect changes nothing and requests
/// nothing.
///
/// `RunMachine.table` is the diagram of its states, and a test holds the machine against it.
package struct RunMachine: Hashable, Sendable {
  package struct StepFailure: Hashable, Sendable {
    package var end: RunEnd
    /// From 0.
    package var step: Int
  }

  /// State that a successful run never has, unless all its attempts together have a deadline.
  private struct FailureState: Hashable, Sendable {
    var failure: StepFailure?
    var stepFailure: RunEnd?
    var lastFailure: RunEnd?
    var unwanted: RunReason?
    /// The start of the first attempt, here or by a previous daemon.
    var firstStart: MonotonicInstant?
  }

  package private(set) var state: RunState = .queued
  /// The attempt in progress, or the last one; 0 before the first.
  package private(set) var attempt = 0
  /// The step in progress, or the last one, from 0.
  package private(set) var step = 0
  private var deadline: MonotonicInstant?
  private var failureState: Shared<FailureState>?
  /// The job's next slot is due, and the run was to retry until then.
  private var isLastAttempt = false
  private var rules: RunRules
  /// Determines the jitter of this run's back-offs.
  private let seed: UInt64

  /// A queued run under a job's rules; equal seeds make equal back-offs.
  package init(rules: RunRules, seed: UInt64 = 0) {
    self.rules = rules
    self.seed = seed
  }

  /// The first failure of the present attempt, if later steps follow it, and its step from 0.
  package var failure: StepFailure? { failureState?.value.failure }
  /// The failure of the last step; nil if it succeeded.
  package var stepFailure: RunEnd? { failureState?.value.stepFailure }
  /// True if the last step's failure is ignored.
  var isStepFailureIgnored: Bool { step > 0 && rules.ignoresFailure(of: step - 1) }
  var lastFailure: RunEnd? { failureState?.value.lastFailure }
  /// The time by which all attempts together must be over; nil for never.
  private var lastDeadline: MonotonicInstant? {
    guard let within = rules.within else { return nil }
    return failureState?.value.firstStart.map { $0 + within }
  }

  /// The reason why no step or attempt may follow the one that is being stopped for another reason.
  private var unwanted: RunReason? { failureState?.value.unwanted }

  private mutating func note(_ change: (inout FailureState) -> Void) {
    var failureState = failureState ?? Shared(FailureState())
    failureState.change(change)
    self.failureState = failureState
  }

  /// True while a process or a built-in's work is in progress.
  package var isInProgress: Bool {
    switch state {
    case .running, .stopping, .killing: true
    case .queued, .backingOff, .ended: false
    }
  }

  /// The job has changed: the next steps follow the new rules, an attempt in progress the old.
  package mutating func adopt(_ rules: RunRules) {
    if !isInProgress { self.rules = rules }
  }

  /// A place is free.
  package mutating func start(at now: MonotonicInstant) -> RunRequests {
    switch state {
    case .queued:
      // Its place may come in the moment in which the time for another attempt ends.
      if let end = lastFailure, isPastDeadline(at: now) { return self.end(end, .deadline) }
      attempt += 1
      step = 0
      if failureState != nil { note { ($0.failure, $0.stepFailure) = (nil, nil) } }
      deadline = rules.timeout.map { now + $0 }
      if rules.within != nil { boundByDeadline(at: now) }
      return perform(attempt == 1 ? .start : .retry)
    case .running, .stopping, .killing, .backingOff, .ended:
      return .none
    }
  }

  /// An attempt lasts no longer than all together may.
  private mutating func boundByDeadline(at now: MonotonicInstant) {
    if failureState?.value.firstStart == nil { note { $0.firstStart = now } }
    deadline = [deadline, lastDeadline].compactMap(\.self).min()
  }

  private func isPastDeadline(at now: MonotonicInstant) -> Bool {
    lastDeadline.map { $0 <= now } ?? false
  }

  /// Continues the run of a previous daemon after `attempts` attempts.
  ///
  /// - Parameter firstStart: the start of the first of them, if known.
  package mutating func resume(
    after attempts: Int, _ end: RunEnd, until: MonotonicInstant,
    firstStart: MonotonicInstant? = nil
  ) -> RunRequests {
    switch state {
    case .queued where attempt == 0:
      attempt = attempts
      note { ($0.lastFailure, $0.firstStart) = (end, firstStart) }
      return move(to: .backingOff(until: until, after: end), .resume, timer: .arm(until))
    case .queued, .running, .stopping, .killing, .backingOff, .ended:
      return .none
    }
  }

  package mutating func actionEnded(
    _ report: AttemptReport, at now: MonotonicInstant
  ) -> RunRequests {
    switch state {
    case .running:
      if report.descendants.isEmpty { return actionOver(report, after: nil, .actionEnded, now) }
      return stopGroup(.descendants(report.descendants), report: report, now)
    case .stopping(let cause, nil):
      if report.descendants.isEmpty { return actionOver(report, after: cause, .actionEnded, now) }
      state = .stopping(cause, report: report)
      return .none
    case .killing(let cause, nil):
      if report.descendants.isEmpty { return actionOver(report, after: cause, .actionEnded, now) }
      state = .killing(cause, report: report)
      return .none
    case .queued, .stopping, .killing, .backingOff, .ended:
      return .none
    }
  }

  /// No process of the present step is left.
  package mutating func groupEnded(at now: MonotonicInstant) -> RunRequests {
    switch state {
    case .stopping(let cause, let report?), .killing(let cause, let report?):
      return actionOver(report, after: cause, .groupEnded, now)
    case .queued, .running, .stopping, .killing, .backingOff, .ended:
      return .none
    }
  }

  package mutating func timerFired(at now: MonotonicInstant) -> RunRequests {
    switch state {
    case .running:
      return stopGroup(.timeout, report: nil, now)
    case .stopping(let cause, let report):
      return killGroup(cause, report: report, .graceOver)
    case .backingOff:
      return move(
        to: .queued, .delayOver, timer: lastDeadline.map { .arm($0) } ?? .keep, place: .await)
    case .queued:
      guard let end = lastFailure, isPastDeadline(at: now) else { return .none }
      return self.end(end, .deadline)
    case .killing, .ended:
      return .none
    }
  }

  /// The run is cancelled: its attempt in progress is asked to end; a waiting run ends at once.
  package mutating func stop(_ cause: StopCause, at now: MonotonicInstant) -> RunRequests {
    switch state {
    case .running:
      return stopGroup(cause, report: nil, now)
    case .queued, .backingOff:
      return end(RunEnd(.cancelled, cause.cancellation ?? .shutdown), cause.moveCause)
    case .stopping, .killing:
      if let reason = cause.cancellation { giveUp(reason) }
      return .none
    case .ended:
      return .none
    }
  }

  /// takt must stop at once: no grace.
  package mutating func hurry() -> RunRequests {
    giveUp(.shutdown)
    switch state {
    case .running: return killGroup(.shutdown, report: nil, .hurry)
    case .stopping(let cause, let report): return killGroup(cause, report: report, .hurry)
    case .queued, .backingOff: return end(RunEnd(.cancelled, .shutdown), .hurry)
    case .killing, .ended: return .none
    }
  }

  /// The job's next slot is due. Under `until: next_slot` a run that has failed gives up.
  package mutating func nextSlotDue() -> RunRequests {
    guard rules.retry.end == .nextSlot else { return .none }
    switch state {
    case .queued, .backingOff:
      guard let lastFailure else { return .none }
      return end(lastFailure, .nextSlot)
    case .running, .stopping, .killing:
      isLastAttempt = true
      return .none
    case .ended:
      return .none
    }
  }

  /// The job was removed: the attempt in progress is the last.
  package mutating func allowNoRetry() -> RunRequests {
    isLastAttempt = true
    return .none
  }

  private mutating func perform(_ cause: RunMove.Cause) -> RunRequests {
    var requests = move(
      to: .running(attempt: attempt), cause, timer: deadline.map { .arm($0) } ?? .disarm)
    requests.action = RunRequests.Start(attempt: attempt, step: step, deadline: deadline)
    return requests
  }

  private mutating func stopGroup(
    _ cause: StopCause, report: AttemptReport?, _ now: MonotonicInstant
  ) -> RunRequests {
    move(
      to: .stopping(cause, report: report), cause.moveCause, signal: .stop,
      timer: .arm(now + rules.grace))
  }

  private mutating func killGroup(
    _ cause: StopCause, report: AttemptReport?, _ why: RunMove.Cause
  ) -> RunRequests {
    move(to: .killing(cause, report: report), why, signal: .kill, timer: .disarm)
  }

  private mutating func actionOver(
    _ report: AttemptReport, after cause: StopCause?, _ why: RunMove.Cause, _ now: MonotonicInstant
  ) -> RunRequests {
    if let reason = cause?.cancellation, cause != .leaseLost || !isOver(by: report, at: now) {
      return end(RunEnd(.cancelled, reason), why)
    }
    if cause == .timeout { return attemptOver(RunEnd(.timedOut, .timeout), why, now) }
    var end = rules.end(of: report)
    if case .descendants(let left) = cause, end.outcome == .succeeded {
      end.reason = .descendantsLeft(left.count)
    }
    let isIgnored = end.outcome == .failed && rules.ignoresFailure(of: step)
    if end.outcome != .succeeded || failureState != nil { noteStep(end, isIgnored: isIgnored) }
    guard step + 1 < rules.stepCount, end.outcome == .succeeded || rules.continues(after: step)
    else {
      if isIgnored { end.outcome = .succeeded }
      return attemptOver(failure?.end ?? end, why, now)
    }
    if let unwanted { return self.end(RunEnd(.cancelled, unwanted), why) }
    step += 1
    return perform(.nextStep)
  }

  /// True if a command had ended the run before it was asked to stop: no other machine need repeat
  /// its work, although the lease was lost meanwhile.
  private func isOver(by report: AttemptReport, at now: MonotonicInstant) -> Bool {
    guard report.endedUnasked, case .exited = report.result else { return false }
    let end = rules.end(of: report)
    let isGood =
      end.outcome == .succeeded || end.outcome == .failed && rules.ignoresFailure(of: step)
    if step + 1 < rules.stepCount, isGood || rules.continues(after: step) { return false }
    guard let last = failure?.end ?? (isGood ? nil : end) else { return true }
    return !isRetried(last, at: now)
  }

  /// True if another attempt follows, unless the run is given up.
  private func isRetried(_ end: RunEnd, at now: MonotonicInstant) -> Bool {
    guard end.outcome != .succeeded, attempt < rules.retry.attempts, !isLastAttempt,
      rules.retry.retries(end)
    else { return false }
    return lastDeadline.map { nextStart(at: now) < $0 } ?? true
  }

  /// The start of the next attempt if this one ends now.
  private func nextStart(at now: MonotonicInstant) -> MonotonicInstant {
    now + rules.retry.backOff(after: attempt, chance: chance())
  }

  private mutating func noteStep(_ end: RunEnd, isIgnored: Bool) {
    note { [step] failureState in
      failureState.stepFailure = end.outcome == .succeeded ? nil : end
      if end.outcome != .succeeded, !isIgnored, failureState.failure == nil {
        failureState.failure = StepFailure(end: end, step: step)
      }
    }
  }

  /// Nothing may follow the attempt in progress; the first reason counts.
  private mutating func giveUp(_ reason: RunReason) {
    note { $0.unwanted = $0.unwanted ?? reason }
  }

  private mutating func attemptOver(
    _ end: RunEnd, _ why: RunMove.Cause, _ now: MonotonicInstant
  ) -> RunRequests {
    guard isRetried(end, at: now) else { return self.end(end, why) }
    // The next attempt is another machine's.
    if unwanted == .leaseLost { return self.end(RunEnd(.cancelled, .leaseLost), why) }
    guard unwanted == nil else { return self.end(end, why) }
    note { $0.lastFailure = end }
    let until = nextStart(at: now)
    return move(
      to: .backingOff(until: until, after: end), why, timer: .arm(until), place: .release)
  }

  /// From 0 up to 1, by the seed and the attempt alone: the finaliser of SplitMix64.
  private func chance() -> Double {
    var bits = (seed &+ UInt64(attempt)) &* 0x9e37_79b9_7f4a_7c15
    bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
    bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
    return Double((bits ^ (bits >> 31)) >> 11) / Double(1 << 53)
  }

  private mutating func end(_ end: RunEnd, _ cause: RunMove.Cause) -> RunRequests {
    move(to: .ended(end), cause, timer: .disarm, place: .release)
  }

  private mutating func move(
    to next: RunState, _ cause: RunMove.Cause, signal: RunRequests.Signal? = nil,
    timer: RunRequests.Timer = .keep, place: RunRequests.Place = .keep
  ) -> RunRequests {
    let requests = RunRequests(
      move: RunMove(from: state.kind, cause: cause), signal: signal, timer: timer, place: place)
    state = next
    return requests
  }
}
