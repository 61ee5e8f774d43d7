import TaktTime

extension ActiveRun {
  /// Counts a move that the machine has just made. Returns what the log says of it.
  mutating func note(_ move: RunMove, at now: MonotonicInstant) -> RunMoveRecord {
    transitionCount += 1
    var record = RunMoveRecord(
      head: head, sequence: transitionCount, attempt: machine.attempt, from: move.from,
      to: machine.state, cause: move.cause, at: now)
    switch machine.state {
    case .running where spec.action.stepCount > 1:
      record.step = machine.step
      // The step before has failed, and the attempt goes on all the same.
      if move.from == .running { record.stepFailure = machine.stepFailure }
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
      duration: startedAt.map { now.monotonic - $0 } ?? .zero, totals: totals, retry: parting)
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
