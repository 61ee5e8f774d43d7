import TaktTime

extension ActiveRun {
  func record(
    from: RunState, to: RunState, cause: String, at now: Now
  ) -> (level: LogLevel, fields: [LogField]) {
    var fields = [
      LogField(.machine, .machine(.run(id))), LogField(.seq, .number(transitionCount)),
      LogField(.job, .text(spec.name.text)), LogField(.run, .number(Int64(id.number))),
    ]
    if let facts {
      fields.append(LogField(.hook, .text(facts.hook.rawValue)))
      fields.append(LogField(.parent, .number(Int64(facts.run.number))))
    }
    fields += [
      LogField(.attempt, .number(Int64(machine.attempt))), LogField(.slot, .instant(nominal)),
      LogField(.from, .text(from.name)), LogField(.to, .text(to.name)),
      LogField(.cause, .text(cause)),
    ]
    var level = Self.level(of: to)
    if case .steps(let steps) = spec.action, steps.count > 1 {
      switch to {
      case .running:
        fields.append(LogField(.step, .number(Int64(machine.step + 1))))
        // The step before has failed, and the attempt goes on all the same.
        if case .running = from, let end = machine.stepFailure {
          level = .warning
          fields += [
            LogField(.outcome, .text(end.outcome.rawValue)),
            LogField(.reason, .text("\(end.reason)")),
          ]
        }
      case .ended, .backingOff:
        if let failure = machine.failure {
          fields.append(LogField(.step, .number(Int64(failure.step + 1))))
        }
      case .queued, .stopping, .killing: break
      }
    }
    return (level, fields + facts(of: to, at: now))
  }

  private static func level(of state: RunState) -> LogLevel {
    switch state {
    case .queued, .running: .info
    case .stopping, .killing: .notice
    case .backingOff: .warning
    case .ended(let end):
      switch end.outcome {
      case .succeeded: .info
      case .cancelled: .notice
      case .interrupted: .warning
      case .failed, .timedOut: .error
      }
    }
  }

  private func facts(of state: RunState, at now: Now) -> [LogField] {
    switch state {
    case .queued, .running, .killing: return []
    case .stopping(.descendants(let left), _):
      let shown = left.prefix(20).map(\.description).joined(separator: ", ")
      return [LogField(.descendants, .text(left.count > 20 ? shown + ", …" : shown))]
    case .stopping: return []
    case .backingOff(let until, let end):
      return [
        LogField(.outcome, .text(end.outcome.rawValue)), LogField(.reason, .text("\(end.reason)")),
        LogField(.retryMilliseconds, .milliseconds(until - now.monotonic)),
      ]
    case .ended(let end):
      return totals.fields(of: end, duration: startedAt.map { now.monotonic - $0 })
    }
  }

  var head: RunHead {
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
  func beginning(at now: Now) -> RunBeginning {
    RunBeginning(head, attempt: machine.attempt + 1, at: now.wall)
  }

  func view(at now: Now) -> RunView {
    let age = startedAt.map { now.monotonic - $0 }
    return RunView(
      run: StoredRun(
        head, beganAt: age.map { now.wall - $0 }, duration: age, attempts: machine.attempt),
      state: machine.state.kind)
  }

  func bookEntry(_ end: RunEnd, at now: Now) -> RunRecord {
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
