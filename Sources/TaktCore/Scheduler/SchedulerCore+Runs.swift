/// Runs: queued, started when a place is free, stepped by events, ended.
extension SchedulerCore {
  mutating func queueRun(for slot: Slot, of spec: JobSpec, at now: Now) {
    lastRun += 1
    let run = ActiveRun(id: RunID(lastRun), spec: spec, slot: slot)
    runs[run.id] = run
    activeCounts[spec.name, default: 0] += 1
    jobs[spec.name]?.cursor.runStarted()
    waiting.append(run.id)
    startWaitingRuns(at: now)
  }

  /// Starts runs, the oldest first, while places are free.
  mutating func startWaitingRuns(at now: Now) {
    while runningCount < settings.maxRunning, let id = waiting.popFirst() {
      guard let run = runs[id], run.machine.state == .queued else { continue }
      runningCount += 1
      decide(
        run.spec.name, SlotSeries(run.slot.nominal), .ran, at: now, causes: run.slot.causes,
        more: [
          LogField(.due, .instant(run.slot.nominal)),
          LogField(.lateMilliseconds, .milliseconds(now.monotonic - run.slot.deadline)),
          LogField(.run, .number(Int64(id.number))),
        ])
      step(id, at: now) { $0.start() }
    }
  }

  mutating func runTimerFired(_ id: RunID, token: UInt64, at now: Now) {
    guard runs[id]?.timerToken == token else { return }
    step(id, at: now) { $0.timerFired() }
  }

  /// Feeds one event to a run's machine and does what it says. An event for a run that has ended
  /// changes nothing.
  mutating func step(
    _ id: RunID, at now: Now, _ event: (inout RunMachine) -> [RunMachine.Effect]
  ) {
    guard var run = runs.removeValue(forKey: id) else { return }
    let wasQueued = run.machine.state == .queued
    for effect in event(&run.machine) { perform(effect, of: &run, at: now) }
    if case .ended = run.machine.state {
      ended(run, wasQueued: wasQueued, at: now)
    } else {
      runs[id] = run
    }
  }

  private mutating func perform(
    _ effect: RunMachine.Effect, of run: inout ActiveRun, at now: Now
  ) {
    switch effect {
    case .startAttempt(let attempt):
      effects.append(
        .start(
          AttemptRequest(
            run: run.id, attempt: attempt, spec: run.spec, slot: run.slot.nominal)))
    case .signalGroup:
      effects.append(.signal(run.id, run.spec.execution.stop.signal))
    case .killGroup:
      effects.append(.signal(run.id, .kill))
    case .armTimer(let duration):
      run.timerToken = nextToken()
      effects.append(
        .arm(
          .run(run.id), deadline: now.monotonic + duration, leeway: .zero, token: run.timerToken))
    case .disarmTimer:
      guard run.timerToken != 0 else { return }
      run.timerToken = 0
      effects.append(.disarm(.run(run.id)))
    case .transition(let from, let to, let cause):
      run.transitionCount += 1
      log(transition(of: run, from: from, to: to, cause: cause), at: now)
    }
  }

  private func transition(
    of run: ActiveRun, from: RunState, to: RunState, cause: String
  ) -> (LogLevel, [LogField]) {
    var level = LogLevel.info
    var fields = [
      LogField(.machine, .text("run:\(run.id)")), LogField(.seq, .number(run.transitionCount)),
      LogField(.job, .text(run.spec.name.text)), LogField(.run, .number(Int64(run.id.number))),
      LogField(.attempt, .number(1)), LogField(.slot, .instant(run.slot.nominal)),
      LogField(.from, .text(from.name)), LogField(.to, .text(to.name)),
      LogField(.cause, .text(cause)),
    ]
    switch to {
    case .ended(let end):
      if end.outcome != .succeeded { level = end.outcome == .cancelled ? .notice : .error }
      fields.append(LogField(.outcome, .text(end.outcome.rawValue)))
      fields.append(LogField(.reason, .text("\(end.reason)")))
      if let advice = end.reason.advice { fields.append(LogField(.message, .text(advice))) }
    case .stopping, .killing: level = .notice
    case .queued, .running: break
    }
    return (level, fields)
  }

  private mutating func log(_ record: (level: LogLevel, fields: [LogField]), at now: Now) {
    log(record.level, .run, at: now, record.fields)
  }

  private mutating func ended(_ run: ActiveRun, wasQueued: Bool, at now: Now) {
    let name = run.spec.name
    let active = activeCounts[name, default: 1] - 1
    activeCounts[name] = active == 0 ? nil : active
    if !wasQueued { runningCount -= 1 }
    if active == 0, let schedule = jobs[name]?.spec.timing.schedule,
      schedule.every?.origin == .end
    {
      jobs[name]?.cursor.rest(schedule, at: now)
      arm(name, at: now)
    }
    // A run that never started has freed no place.
    if !wasQueued { startWaitingRuns(at: now) }
    finishIfIdle(at: now)
  }
}
