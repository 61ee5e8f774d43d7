import TaktTime

/// Runs in progress: stepped by events, and ended.
extension SchedulerCore {
  mutating func runTimerFired(_ run: RunID, token: UInt64, at now: Now) {
    guard runs.contains(run), runs[run].timerToken == token else { return }
    if runs[run].isClaiming { return claimTimedOut(run, at: now) }
    step(run, at: now) { $0.timerFired(at: now.monotonic) }
  }

  /// A run takes longer than its job says.
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

  /// Nothing is left of a step that has left descendants.
  mutating func groupEnded(_ run: RunID, _ report: GroupReport, at now: Now) {
    guard let row = runs.row(of: run) else { return }
    runs[row].groupEnded(report)
    step(row, at: now) { $0.groupEnded(at: now.monotonic) }
  }

  /// Feeds one event to a run's machine and does what it requests. An event for a run that has
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
    // What a reload has changed meanwhile holds from the next attempt on.
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
      if !checks.isEmpty { checkEnded(hook, of: last.job, end, at: now) }
    }
    if let start = last.startOf { startHookEnded(start, at: now) }
    placement?.note(.runGone(last.job), in: &self, at: now)
    removeIfEnded(last.job)
    startWaitingRuns(at: now)
    finishIfIdle(at: now)
  }

  /// What waited for the end of a job's run may be due.
  private mutating func armAfterRun(of id: JobID, at now: Now) {
    guard jobs.isPresent(id) else { return }
    if jobs[id].isFixedDelay, !runs.hasActive(id) {
      startDelay(of: id, at: now)
      arm(id, at: now)
    } else if !jobs[id].late.isEmpty {
      arm(id, at: now)
    }
  }

  /// A job that has been removed is forgotten when the last of its runs has ended.
  mutating func removeIfEnded(_ id: JobID) {
    if !jobs.isPresent(id), runs.ofJob(id).isEmpty { release(id) }
  }

  @inline(never) private mutating func release(_ id: JobID) {
    backfilled.forget(id)
    jobs.release(id)
  }
}
