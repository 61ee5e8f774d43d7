import TaktTime

/// Runs: queued, started when a place is free, stepped by events, ended.
extension SchedulerCore {
  mutating func queueRun(
    _ origin: ActiveRun.Origin, of spec: JobSpec, with parameters: RunParameters = RunParameters(),
    isForced: Bool = false, at now: Now
  ) {
    lastRun += 1
    var run = ActiveRun(
      id: RunID(lastRun), spec: spec, origin: origin, parameters: parameters, isForced: isForced)
    if run.isHook {
      hookCounts[spec.name, default: 0] += 1
    } else {
      activeRuns[spec.name, default: []].append(run.id)
      jobs[spec.name]?.cursor.runStarted()
      remark(spec.name)
    }
    // Mostly nobody waits, and there is a place.
    if mayStart, !run.needsClaim, queue.takeNow(run.ticket) {
      begin(&run, at: now)
      for effect in run.machine.start(at: now.monotonic) { perform(effect, of: &run, at: now) }
      runs[run.id] = run
      return
    }
    runs[run.id] = run
    queue.add(run.ticket)
    startWaitingRuns(at: now)
    if let slot = runs[run.id]?.undecidedSlot {
      effects.append(.record(.pending(spec.name, slot.nominal)))
    }
  }

  private var mayStart: Bool { phase == .running || phase == .draining }

  mutating func startWaitingRuns(at now: Now) {
    guard mayStart else { return }
    while let id = queue.next() {
      guard let run = runs[id] else { continue }
      if run.needsClaim { claim(run, at: now) } else { start(run, at: now) }
    }
  }

  mutating func start(_ run: ActiveRun, at now: Now) {
    var begun = run
    if run.startedAt == nil { begin(&begun, at: now) }
    begun.hasClaim = false
    runs[run.id] = begun
    step(run.id, at: now) { $0.start(at: now.monotonic) }
  }

  /// The first start of a run decides its slot.
  private mutating func begin(_ run: inout ActiveRun, at now: Now) {
    run.startedAt = now.monotonic
    run.firstAttempt = run.machine.attempt + 1
    effects.append(.record(.began(run.beginning(at: now))))
    if case .slot(let slot) = run.origin {
      run.lateness = now.monotonic - slot.deadline
      serve(slot, by: run, at: now)
    }
    guard let expected = run.spec.expectedDuration else { return }
    run.expectedToken = nextToken()
    effects.append(
      .arm(
        .expected(run.id), deadline: now.monotonic + expected, leeway: .zero,
        token: run.expectedToken))
  }

  private mutating func serve(_ slot: Slot, by run: ActiveRun, at now: Now) {
    let lateness = now.monotonic - slot.deadline
    effects.append(
      .served(
        SlotStart(
          job: run.spec.name, run: run.id, lateness: lateness, window: slot.window,
          qos: run.spec.execution.qos)))
    decide(
      run.spec.name, SlotSeries(slot.nominal), .ran, at: now, causes: slot.causes,
      run: run.id,
      more: isQuiet
        ? []
        : [
          LogField(.due, .instant(slot.due)),
          LogField(.lateMilliseconds, .milliseconds(lateness)),
          LogField(.run, .number(Int64(run.id.number))),
        ])
    if lateness > slot.window + run.spec.lateTolerance { hook(.onLate, for: run, at: now) }
  }

  mutating func runTimerFired(_ id: RunID, token: UInt64, at now: Now) {
    guard let run = runs[id], run.timerToken == token else { return }
    if run.isClaiming { return claimTimedOut(run, at: now) }
    step(id, at: now) { $0.timerFired(at: now.monotonic) }
  }

  /// A run takes longer than its job says.
  mutating func expectedFired(_ id: RunID, token: UInt64, at now: Now) {
    guard let run = runs[id], run.expectedToken == token else { return }
    runs[id]?.expectedToken = 0
    effects.append(.disarm(.expected(id)))
    log(
      .warning, .run, at: now,
      [
        LogField(.job, .text(run.spec.name.text)), LogField(.run, .number(Int64(id.number))),
        LogField(
          .message, .text("takes longer than \(DurationText.format(now.monotonic - run.begin))")),
      ])
    hook(.onLate, for: run, at: now)
  }

  mutating func actionEnded(_ id: RunID, _ report: AttemptReport, at now: Now) {
    runs[id]?.take(report)
    step(id, at: now) { $0.actionEnded(report, at: now.monotonic) }
  }

  /// Feeds one event to a run's machine and does what it says. An event for a run that has ended
  /// changes nothing.
  mutating func step(
    _ id: RunID, at now: Now, _ event: (inout RunMachine) -> [RunMachine.Effect]
  ) {
    guard var run = runs.removeValue(forKey: id) else { return }
    let machineEffects = event(&run.machine)
    for effect in machineEffects { perform(effect, of: &run, at: now) }
    if case .ended(let end) = run.machine.state {
      ended(run, end, at: now)
    } else {
      // What a reload has changed meanwhile holds from the next attempt on.
      if case .backingOff = run.machine.state, !run.isHook, let job = jobs[run.spec.name] {
        run.adopt(job.spec)
      }
      runs[id] = run
      if machineEffects.contains(where: \.mayFreeAPlace) { startWaitingRuns(at: now) }
    }
  }

  private mutating func perform(
    _ effect: RunMachine.Effect, of run: inout ActiveRun, at now: Now
  ) {
    switch effect {
    case .startAction(let attempt, let step, let deadline):
      if step == 0 { run.beginOutput() }
      if step == 0, attempt > run.firstAttempt {
        effects.append(.record(.attemptBegan(run.id, attempt: attempt, at: now.wall)))
      }
      effects.append(
        .start(
          AttemptRequest(
            run: run.id, attempt: attempt, spec: run.spec(forStep: step), slot: run.nominal,
            action: run.spec.action.steps[step].action, step: step, deadline: deadline,
            facts: run.facts)))
    case .signalGroup:
      effects.append(.signal(run.id, run.spec.execution.stop.signal))
    case .killGroup:
      effects.append(.signal(run.id, .kill))
    case .armTimer(let deadline):
      run.timerToken = nextToken()
      effects.append(
        .arm(.run(run.id), deadline: deadline, leeway: .zero, token: run.timerToken))
    case .disarmTimer:
      guard run.timerToken != 0 else { return }
      run.timerToken = 0
      effects.append(.disarm(.run(run.id)))
    case .leavePlace: queue.leave(run.id)
    case .awaitPlace: queue.add(run.ticket)
    case .transition(let from, let to, let cause):
      run.transitionCount += 1
      if case .backingOff(_, let end) = to, run.startedAt != nil {
        recordOutput(of: &run, at: now)
        effects.append(
          .record(
            .backedOff(
              run.id,
              run.retryPosition(at: now)
                ?? RetryPosition(attempt: run.machine.attempt, until: now.wall, end: end),
              at: now.wall)))
      }
      if isQuiet { return }
      let record = run.record(from: from, to: to, cause: cause, at: now)
      log(record.level, .run, at: now, record.fields)
    }
  }

  /// Another attempt follows: the output of this one goes to the ledger at once.
  private mutating func recordOutput(of run: inout ActiveRun, at now: Now) {
    let output = run.totals.output
    guard !output.isEmpty, !run.hasRecordedOutput else { return }
    effects.append(
      .record(.attemptOutput(run.id, attempt: run.machine.attempt, output, at: now.wall)))
    run.hasRecordedOutput = true
  }

  private mutating func ended(_ run: ActiveRun, _ end: RunEnd, at now: Now) {
    let name = run.spec.name
    queue.remove(run.id, of: name)
    effects.append(.record(.ended(run.bookEntry(end, at: now))))
    settleFormer(of: run, end)
    if run.expectedToken != 0 { effects.append(.disarm(.expected(run.id))) }
    if run.isHook {
      let count = hookCounts[name, default: 1] - 1
      hookCounts[name] = count == 0 ? nil : count
    } else {
      activeRuns[name]?.removeAll { $0 == run.id }
      if activeRuns[name]?.isEmpty == true { activeRuns[name] = nil }
      afterRun(run, end, at: now)
    }
    startWaitingRuns(at: now)
    finishIfIdle(at: now)
  }

  private mutating func afterRun(_ run: ActiveRun, _ end: RunEnd, at now: Now) {
    let name = run.spec.name
    if let job = jobs[name] {
      let schedule = job.spec.timing.schedule
      if schedule.every?.origin == .end, activeRuns[name] == nil {
        jobs[name]?.cursor.rest(schedule, at: now)
        remark(name)
        arm(name, at: now)
      } else if !job.late.isEmpty {
        arm(name, at: now)
      }
    }
    guard run.hasHadAttempt(end) else { return }
    callHooks(after: run, end, at: now)
    // One that goes on with the next takt has not come to its end.
    if run.parting == nil { callFollowers(of: name, end, at: now) }
  }
}

extension RunMachine.Effect {
  fileprivate var mayFreeAPlace: Bool {
    switch self {
    case .leavePlace, .awaitPlace: true
    case .startAction, .signalGroup, .killGroup, .armTimer, .disarmTimer, .transition: false
    }
  }
}
