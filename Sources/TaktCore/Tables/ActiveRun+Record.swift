import TaktTime

extension ActiveRun {
  /// Counts a move that the machine has just made. Returns what the log says of it.
  mutating func note(_ move: RunMove, at now: Now) -> LogRecord {
    transitionCount += 1
    let hasFailedStep =
      move.from == .running && spec.action.stepCount > 1 && machine.stepFailure != nil
    let level = RunMoveRecord.level(of: machine.state, hasFailedStep: hasFailedStep)
    return LogRecord(
      at: now.wall, level, .run, content: .run(record(of: move, at: now.monotonic)))
  }

  private mutating func record(of move: RunMove, at now: MonotonicInstant) -> RunMoveRecord {
    var record = RunMoveRecord(
      head: head, sequence: transitionCount, attempt: machine.attempt, from: move.from,
      to: machine.state, cause: move.cause, at: now)
    switch machine.state {
    case .running where spec.action.stepCount > 1:
      record.step = machine.step
      // The step before has failed, and the attempt goes on all the same.
      if move.from == .running { record.stepFailure = machine.stepFailure.map { Shared($0) } }
    case .backingOff where spec.action.stepCount > 1: record.step = machine.failure?.step
    case .ended:
      if spec.action.stepCount > 1 { record.step = machine.failure?.step }
      record.duration = startedAt.map { now - $0 }
      record.totals = totals.withoutOutput
    case .queued, .running, .stopping, .killing, .backingOff: break
    }
    return record
  }

  @inline(__always) var head: RunHead {
    var head = RunHead(run: id, job: spec.name, slot: nominal, delivery: spec.delivery)
    switch origin {
    case .slot: break
    case .manual: head.kind = .manual
    case .hook(let facts, _): (head.kind, head.hook, head.parent) = (.hook, facts.hook, facts.run)
    case .resumed(_, let former): (head.kind, head.parent) = (.resumed, former)
    }
    return head
  }

  /// The run as the books have it when it starts, or wants to.
  @inline(__always) func beginning(at now: Now) -> RunBeginning {
    RunBeginning(head, attempt: machine.attempt + 1, at: now.wall)
  }

  func view(at now: Now) -> RunView {
    let age = startedAt.map { now.monotonic - $0 }
    return RunView(
      run: StoredRun(
        head, beganAt: age.map { now.wall - $0 }, duration: age, attempts: machine.attempt),
      state: machine.state.kind)
  }

  mutating func bookEntry(_ end: RunEnd, at now: Now) -> RunRecord {
    var totals = totals
    if hasRecordedOutput { totals.output = KeptOutput() }
    return RunRecord(
      head, attempts: machine.attempt, end: end, endedAt: now.wall,
      duration: startedAt.map { now.monotonic - $0 } ?? .zero, totals: totals, retry: parting?.value
    )
  }

  /// What matters of a run that has ended.
  struct Last {
    var job: JobID
    var isHook: Bool
    var hasHooks: Bool
    /// Whether anything of it has been done.
    var hasHadAttempt: Bool
    /// Whether the next daemon does not resume it.
    var isForGood: Bool
    /// Whether there is a timer for how long it is expected to take.
    var isExpected: Bool
    /// The run that it was to resume and did not: what the ledger keeps of that one is settled.
    var settles: RunID?
  }

  mutating func last(_ end: RunEnd) -> Last {
    var last = Last(
      job: job, isHook: isHook, hasHooks: !spec.hooks.isEmpty,
      hasHadAttempt: !isHook && hasHadAttempt(end), isForGood: parting == nil,
      isExpected: expectedToken != 0)
    if case .resumed(_, let former) = origin, startedAt == nil, !isClaiming,
      end != RunEnd(.cancelled, .shutdown)
    {
      last.settles = former
    }
    return last
  }

  /// Where a takt to come goes on with a run that waits for its next attempt; nil for any other.
  func retryPosition(at now: Now) -> RetryPosition? {
    // One that was to go on and has not yet is still where it was.
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

  /// When it started; of one that never did, now or never, the origin of the clock.
  var begin: MonotonicInstant { startedAt ?? MonotonicInstant(nanoseconds: 0) }
}
