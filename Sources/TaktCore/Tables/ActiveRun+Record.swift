import TaktTime

extension ActiveRun {
  /// Counts a move that the machine has just made. Returns its log record.
  mutating func note(_ move: RunMove, at now: Now) -> LogRecord {
    transitionCount += 1
    let (step, failure) = steps(of: move)
    let isNoted = failure != nil && !machine.isStepFailureIgnored
    let subject: RunMoveRecord.Subject =
      if case .ended(let end) = machine.state {
        .ended(record(end, at: now, totals: totals.withoutOutput))
      } else {
        .going(head, use: totals.use)
      }
    var level = RunMoveRecord.level(of: machine.state, hasFailedStep: isNoted)
    // A condition that does not hold is no news.
    if level > .info, isHook, facts?.value.hook == .onlyIf { level = .info }
    return LogRecord(
      at: now.wall, level, .run,
      content: .run(
        RunMoveRecord(
          of: subject, sequence: transitionCount, attempt: machine.attempt, from: move.from,
          to: machine.state, cause: move.cause, at: now.monotonic, step: step,
          stepFailure: failure)))
  }

  /// The step of a move, and the failure of the one before if the attempt continues; neither for a
  /// job without steps.
  private mutating func steps(of move: RunMove) -> (step: Int?, failure: Shared<RunEnd>?) {
    guard spec.action.stepCount > 1 else { return (nil, nil) }
    switch machine.state {
    case .running:
      let failure = move.from == .running ? machine.stepFailure : nil
      return (machine.step, failure.map { Shared($0) })
    case .backingOff, .ended: return (machine.failure?.step, nil)
    case .queued, .stopping, .killing: return (nil, nil)
    }
  }

  @inline(__always) var head: RunHead {
    var head = RunHead(run: id, job: spec.name, slot: nominal, delivery: spec.delivery)
    switch origin {
    case .slot: break
    case .manual: head.kind = .manual
    case .backfill: head.kind = .backfill
    case .hook: (head.kind, head.hook, head.parent) = (.hook, facts?.value.hook, facts?.value.ofRun)
    case .resumed(_, let previous): (head.kind, head.parent) = (.resumed, previous)
    }
    return head
  }

  /// The ledger's entry for a run that starts, or waits to.
  @inline(__always) func beginning(at now: Now) -> RunBeginning {
    var beginning = RunBeginning(head, attempt: machine.attempt + 1, at: now.wall)
    if startedAt != nil, case .slot = origin { beginning.lateness = lateness }
    return beginning
  }

  func view(at now: Now) -> RunView {
    let age = startedAt.map { now.monotonic - $0 }
    return RunView(
      run: StoredRun(
        head, beganAt: age.map { now.wall - $0 }, duration: age, attempts: machine.attempt,
        parameters: shownParameters),
      state: machine.state.kind)
  }

  mutating func ledgerRecord(_ end: RunEnd, at now: Now) -> RunRecord {
    record(end, at: now, totals: hasRecordedOutput ? totals.withoutOutput : totals)
  }

  @inline(__always) private func record(
    _ end: RunEnd, at now: Now, totals: RunTotals
  ) -> RunRecord {
    RunRecord(
      head, attempts: machine.attempt, end: end, at: now, since: startedAt, totals: totals,
      parting: parting)
  }

  /// The facts of an ended run that matter for others.
  struct Last {
    var job: JobID
    /// The run itself, if it is a hook.
    var hook: RunID?
    var hasHooks: Bool
    var hasHadAttempt: Bool
    /// True if its end is no news for others: nothing follows from it.
    var isBackfill: Bool
    /// True if the next daemon does not resume it.
    var isForGood: Bool
    /// True if there is a timer for its expected time.
    var isExpected: Bool
    /// The run whose start this hook reported.
    var startOf: RunStart?
    /// The run that it was to resume and did not: the ledger's state of that one is settled.
    var settles: RunID?
  }

  /// A hook that has ended: the reason for its call, and the facts for a fallback.
  struct Alarm: Hashable, Sendable {
    var facts: Shared<RunFacts>
    var slot: WallInstant
    var startedAt: MonotonicInstant?
    var output: KeptOutput
  }

  /// Nil for a run that is no hook of another run.
  var alarm: Shared<Alarm>? {
    mutating get {
      guard let facts, facts.value.hook != .onlyIf else { return nil }
      return Shared(
        Alarm(facts: facts, slot: nominal, startedAt: startedAt, output: totals.output))
    }
  }

  mutating func last(_ end: RunEnd) -> Last {
    var last = Last(
      job: job, hook: isHook ? id : nil, hasHooks: spec.hasHooks,
      hasHadAttempt: !isHook && hasHadAttempt(end), isBackfill: isBackfill,
      isForGood: parting == nil,
      isExpected: expectedToken != 0)
    if isHook, let facts = facts?.value, facts.hook == .onStart {
      last.startOf = RunStart(run: facts.run, isPing: facts.isPing)
    }
    if case .resumed(_, let previous) = origin, startedAt == nil, !isClaiming,
      end != RunEnd(.cancelled, .shutdown)
    {
      last.settles = previous
    }
    return last
  }

  /// The position from which the next daemon continues a run that waits for its next attempt; nil
  /// for any other.
  func retryPosition(at now: Now) -> RetryPosition? {
    // A run that was to continue another and has not started is still at that position.
    guard !isHook, startedAt != nil || isClaiming else { return nil }
    switch machine.state {
    case .backingOff(let until, let end):
      return RetryPosition(
        attempt: machine.attempt, until: now.wall + (until - now.monotonic), end: end)
    case .queued:
      return machine.lastFailure.map {
        RetryPosition(attempt: machine.attempt, until: now.wall, end: $0)
      }
    case .running, .stopping, .killing, .ended: return nil
    }
  }

  /// The origin of the clock for a run that never started.
  var begin: MonotonicInstant { startedAt ?? MonotonicInstant(nanoseconds: 0) }
}

/// The start of a run as its hooks, or its pings, report it.
struct RunStart: Hashable, Sendable {
  var run: RunID
  var isPing: Bool
}
