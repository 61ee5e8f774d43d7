import TaktTime

/// Runs in progress: stepped by events, and ended.
extension SchedulerCore {
  mutating func runTimerFired(_ run: RunID, token: UInt64, at now: Now) {
    guard runs.contains(run), runs[run].timerToken == token else { return }
    if runs[run].isClaiming { return claimTimedOut(run, at: now) }
    step(run, at: now) { $0.timerFired(at: now.monotonic) }
  }

  /// A run takes longer than expected.
  mutating func expectedFired(_ run: RunID, token: UInt64, at now: Now) {
    guard runs.contains(run), runs[run].expectedToken == token else { return }
    runs[run].expectedToken = 0
    effects.append(.disarm(.expected(run)))
    // Of hooks, only conditions have such a bound.
    if runs[run].isHook { return waitIsOver(run, at: now) }
    let (job, taken) = (runs[run].spec.name, now.monotonic - runs[run].begin)
    log(
      .warning, .run, at: now,
      [
        LogField(.job, .text(job.text)), LogField(.run, .number(Int64(run.number))),
        LogField(.message, .text("still running after \(DurationText.format(taken))")),
      ])
    hook(.onLate, for: run, at: now)
  }

  mutating func actionEnded(_ run: RunID, _ report: AttemptReport, at now: Now) {
    // Lent, not copied, where there is no placement.
    guard let placement else { return noteActionEnded(run, report, at: now) }
    noteActionEnded(run, placement.amended(report, of: run, in: &self, at: now), at: now)
  }

  private mutating func noteActionEnded(_ run: RunID, _ report: AttemptReport, at now: Now) {
    guard let row = runs.row(of: run) else { return }
    runs[row].stepEnded(report)
    step(row, at: now) { $0.actionEnded(report, at: now.monotonic) }
  }

  /// No process of a step with descendants is left.
  mutating func groupEnded(_ run: RunID, _ report: GroupReport, at now: Now) {
    guard let row = runs.row(of: run) else { return }
    runs[row].groupEnded(report)
    step(row, at: now) { $0.groupEnded(at: now.monotonic) }
  }

  /// Feeds one event to a run's machine and performs its requests. An event for a run that has
  /// ended changes nothing. A retry is scheduled here, when the machine moves to `backing_off`.
  mutating func step(_ run: RunID, at now: Now, _ event: (inout RunMachine) -> RunRequests) {
    if let row = runs.row(of: run) { step(row, at: now, event) }
  }

  mutating func step(
    _ row: RunTable.Row, at now: Now, _ event: (inout RunMachine) -> RunRequests
  ) {
    let requests = event(&runs[row].machine)
    if let move = requests.move { moved(row, move, at: now) }
    if let action = requests.action { start(action, of: row, at: now) }
    if let signal = requests.signal { self.signal(row, signal) }
    switch requests.place {
    case .keep: break
    case .release: runs.releasePlace(row)
    case .await: runs.askForPlace(runs[row].id)
    }
    setTimer(of: row, requests.timer, at: now)
    switch runs[row].machine.state {
    case .ended(let end): return ended(row, end, at: now)
    // Changes of a reload apply from the next attempt on.
    case .backingOff: adoptPresentSpec(row)
    case .queued, .running, .stopping, .killing: break
    }
    if requests.place != .keep { startWaitingRuns(at: now) }
  }

  private mutating func adoptPresentSpec(_ row: RunTable.Row) {
    let id = runs[row].job
    if !runs[row].isHook, jobs.isPresent(id) { runs[row].adopt(jobs[id].spec) }
  }

  // MARK: Orders

  private mutating func moved(_ row: RunTable.Row, _ move: RunMove, at now: Now) {
    if case .backingOff(_, let end) = runs[row].machine.state, runs[row].startedAt != nil {
      recordBackOff(row, end, at: now)
    }
    if isQuiet {
      runs[row].transitionCount += 1
      return
    }
    effects.append(.log(runs[row].note(move, at: now)))
  }

  private mutating func recordBackOff(_ row: RunTable.Row, _ end: RunEnd, at now: Now) {
    let (run, attempt) = (runs[row].id, runs[row].machine.attempt)
    // Another attempt follows: the output of this one goes to the ledger at once.
    if let output = runs[row].popUnrecordedOutput() {
      effects.append(.record(.attemptOutput(run, attempt: attempt, output, at: now.wall)))
    }
    if let use = runs[row].totals.use?.value.attempt {
      effects.append(.record(.attemptUse(run, attempt: attempt, Shared(use))))
    }
    let position =
      runs[row].retryPosition(at: now) ?? RetryPosition(attempt: attempt, until: now.wall, end: end)
    effects.append(.record(.backedOff(run, position, at: now.wall)))
  }

  private mutating func start(_ action: RunRequests.Start, of row: RunTable.Row, at now: Now) {
    if action.step == 0, action.attempt > runs[row].firstAttempt {
      effects.append(
        .record(.attemptBegan(runs[row].id, attempt: action.attempt, at: now.wall)))
    }
    let changes = watchChanges.isEmpty ? nil : watchChanges[runs[row].id]
    effects.append(.start(runs[row].request(for: action, changes: changes)))
  }

  private mutating func signal(_ row: RunTable.Row, _ signal: RunRequests.Signal) {
    let signal =
      switch signal {
      case .stop: runs[row].spec.execution.stop.signal
      case .kill: StopSignal.kill
      }
    effects.append(.signal(runs[row].id, signal))
  }

  private mutating func setTimer(
    of row: RunTable.Row, _ timer: RunRequests.Timer, at now: Now
  ) {
    switch timer {
    case .keep: break
    case .arm(let deadline):
      let token = nextToken()
      runs[row].timerToken = token
      effects.append(
        .arm(
          .run(runs[row].id), deadline: deadline, due: now.wall(at: deadline), leeway: .zero,
          token: token))
    case .disarm:
      guard runs[row].timerToken != 0 else { return }
      runs[row].timerToken = 0
      effects.append(.disarm(.run(runs[row].id)))
    }
  }

  // MARK: The end

  private mutating func ended(_ row: RunTable.Row, _ end: RunEnd, at now: Now) {
    runs.giveUpPlace(row)
    effects.append(.record(.ended(runs[row].ledgerRecord(end, at: now))))
    if runs[row].startedAt == nil { recordParameters(of: row) }
    let last = runs[row].last(end)
    if let previous = last.settles { effects.append(.record(.settled(previous))) }
    if last.isExpected { effects.append(.disarm(.expected(runs[row].id))) }
    let caller = last.hasHooks ? runs[row].caller : nil
    let alarm = runs[row].alarm
    let counts = placement?.counts(end, of: row, last, caller: caller, in: &self, at: now) ?? true
    if last.isBackfill, end.outcome == .succeeded, !runs[row].hasParameters {
      backfilled.add(runs[row].id, of: last.job, slot: runs[row].nominal)
    }
    if !watchChanges.isEmpty { watchChanges.forget(runs[row].id) }
    runs.remove(row)
    if last.hook == nil { armAfterRun(of: last.job, at: now) }
    if counts, last.hasHadAttempt, !last.isBackfill {
      countFailure(of: last.job, end, hooks: caller, at: now)
      if last.isForGood { callFollowers(of: last.job, end, at: now) }
    }
    if let hook = last.hook {
      hookEnded(hook, of: last.job, end)
      if let alarm { alarmEnded(hook, alarm.value, of: last.job, end, at: now) }
      if !checks.isEmpty { checkEnded(hook, of: last.job, end, at: now) }
    }
    if let start = last.startOf { startHookEnded(start, at: now) }
    placement?.note(.runGone(last.job), in: &self, at: now)
    removeIfEnded(last.job)
    startWaitingRuns(at: now)
    finishIfIdle(at: now)
  }

  /// Slots that waited for the end of a job's run may be due.
  private mutating func armAfterRun(of id: JobID, at now: Now) {
    guard jobs.isPresent(id) else { return }
    if jobs[id].isFixedDelay, !runs.hasActive(id) {
      startDelay(of: id, at: now)
      arm(id, at: now)
    } else if !jobs[id].late.isEmpty {
      arm(id, at: now)
    }
  }

  mutating func removeIfEnded(_ id: JobID) {
    if !jobs.isPresent(id), runs.ofJob(id).isEmpty { release(id) }
  }

  @inline(never) private mutating func release(_ id: JobID) {
    backfilled.forget(id)
    jobs.release(id)
  }
}

/// Starting: a run waits for a place, perhaps for the ledger, and starts. Its first start decides its
/// slot.
extension SchedulerCore {
  mutating func queueRun(
    _ origin: ActiveRun.Origin, of id: JobID, _ spec: JobSpec,
    facts: Shared<RunFacts>? = nil, with parameters: RunParameters? = nil, isForced: Bool = false,
    claim: ClaimGrant? = nil, at now: Now
  ) {
    let row = runs.insert(
      of: id, spec, origin, facts: facts, with: parameters, isForced: isForced)
    if claim != nil { runs[row].claim = claim }
    if !runs[row].isHook, jobs.isPresent(id) {
      jobs[id].cursor.runStarted()
      markDirty(id)
      if !watchChanges.isEmpty { watchChanges.hand(id, to: runs[row].id) }
    }
    // Mostly no other run waits, and there is a place.
    if phase.mayStart, drain == nil || runs[row].isHook, !runs[row].needsClaim,
      runs.claimPlace(row)
    {
      return start(row, at: now)
    }
    let run = runs[row].id
    runs.askForPlace(run)
    startWaitingRuns(at: now)
    if runs.contains(run), let slot = runs[run].undecidedSlot {
      effects.append(.record(.pending(spec.name, slot.nominal)))
    }
    logWait(of: run, at: now)
  }

  /// The causes of a wait for a group are not visible in the job.
  private mutating func logWait(of run: RunID, at now: Now) {
    guard !isQuiet, runs.contains(run), runs[run].spec.concurrencyGroup != nil,
      let wait = runs.wait(of: run), wait.isForGroup
    else { return }
    log(
      .info, .run, at: now,
      [
        LogField(.job, .text(runs[run].spec.name.text)), LogField(.run, .number(Int64(run.number))),
        LogField(.message, .text("waits for \(wait.words)")),
      ])
  }

  mutating func startWaitingRuns(at now: Now) {
    guard phase.mayStart, runs.hasWaiting else { return }
    while let run = runs.nextWithPlace(ofHooksAlone: drain != nil) {
      guard let row = runs.row(of: run) else { continue }
      if runs[row].needsClaim { claim(row, at: now) } else { start(row, at: now) }
    }
  }

  private mutating func start(_ row: RunTable.Row, at now: Now) {
    let isFirst = runs[row].startedAt == nil
    if isFirst { begin(row, at: now) }
    runs[row].hasClaim = false
    let run = runs[row].id
    let isTold = isFirst && !runs[row].isHook && runs[row].spec.calls(.onStart)
    step(row, at: now) { $0.start(at: now.monotonic) }
    // Only now: the run does not wait for the hook.
    if isTold, runs.contains(run) { hook(.onStart, for: run, at: now) }
  }

  private mutating func begin(_ row: RunTable.Row, at now: Now) {
    runs[row].begin(at: now.monotonic)
    effects.append(.record(.began(runs[row].beginning(at: now))))
    recordParameters(of: row)
    if case .slot(let slot) = runs[row].origin { serve(slot, by: row, at: now) }
    guard let expected = runs[row].spec.expectedDuration else { return }
    let token = nextToken()
    runs[row].expectedToken = token
    effects.append(
      .arm(
        .expected(runs[row].id), deadline: now.monotonic + expected, due: now.wall + expected,
        leeway: .zero, token: token))
  }

  /// Records the parameters that the run was triggered with, if any.
  mutating func recordParameters(of row: RunTable.Row) {
    guard let parameters = runs[row].shownParameters else { return }
    effects.append(.record(.parameters(parameters, of: runs[row].id)))
  }

  private mutating func serve(_ slot: Slot, by row: RunTable.Row, at now: Now) {
    let (run, id) = (runs[row].id, runs[row].job)
    let (spec, lateness) = (runs[row].spec, runs[row].lateness)
    effects.append(
      .served(
        SlotStart(
          job: spec.name, run: run, lateness: lateness, window: slot.window,
          qos: spec.execution.qos)))
    let verdict = VerdictRecord(
      job: spec.name, slots: SlotSeries(slot.nominal), verdict: .ran, at: now.wall, run: run)
    decideRan(id, verdict, causes: slot.causes, start: (slot.due, lateness), at: now)
    if lateness > slot.window + spec.lateTolerance { hook(.onLate, for: run, at: now) }
  }
}

// MARK: - Claims

/// Runs that the ledger must know before they may start.
extension SchedulerCore {
  /// The time for which such a run waits for the ledger.
  package static let claimTimeout = Duration.seconds(2)

  /// The run could start; it asks for its place again once the ledger has it for certain.
  private mutating func claim(_ row: RunTable.Row, at now: Now) {
    let (run, token) = (runs[row].id, nextToken())
    // While it waits for the disk others may have the place.
    runs.releasePlace(row)
    runs[row].isClaiming = true
    runs[row].timerToken = token
    effects.append(.record(.claimed(runs[row].beginning(at: now))))
    recordParameters(of: row)
    effects.append(.awaitLedger(run))
    effects.append(
      .arm(
        .run(run), deadline: now.monotonic + Self.claimTimeout, due: now.wall + Self.claimTimeout,
        leeway: .zero, token: token))
  }

  mutating func claimKept(_ run: RunID, at now: Now) {
    guard runs.contains(run), runs[run].isClaiming else { return }
    runs[run].isClaiming = false
    runs[run].hasClaim = true
    runs[run].timerToken = 0
    effects.append(.disarm(.run(run)))
    runs.askForPlace(run)
    startWaitingRuns(at: now)
  }

  /// Without the ledger's answer the slot is given up: it might be run a second time after a crash.
  mutating func claimTimedOut(_ run: RunID, at now: Now) {
    if let slot = runs[run].undecidedSlot {
      let (id, series) = (runs[run].job, SlotSeries(slot.nominal))
      // With a claim another machine may run it, or this one when its ledger answers again.
      let isOpen =
        runs[run].claim != nil && jobs.isPresent(id)
        && placement?.takes(passed: [series], of: id, by: nil, in: &self, at: now) == true
      if !isOpen { decide(id, series, .skipped(.ledger), at: now) }
    }
    step(run, at: now) { $0.stop(.ledger, at: now.monotonic) }
  }
}

extension SchedulerPhase {
  fileprivate var mayStart: Bool { self == .running || self == .draining }
}

extension ActiveRun {
  /// True if the ledger must know of its next attempt before it starts.
  fileprivate var needsClaim: Bool {
    mutating get {
      switch origin {
      case .slot, .resumed: spec.delivery == .atMostOnce && !hasClaim
      case .manual, .hook, .backfill: false
      }
    }
  }
}
