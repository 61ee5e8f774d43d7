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
    let (job, taken) = (runs[run].spec.name, now.monotonic - runs[run].begin)
    log(
      .warning, .run, at: now,
      [
        LogField(.job, .text(job.text)), LogField(.run, .number(Int64(run.number))),
        LogField(.message, .text("takes longer than \(DurationText.format(taken))")),
      ])
    hook(.onLate, for: run, at: now)
  }

  mutating func actionEnded(_ run: RunID, _ report: AttemptReport, at now: Now) {
    guard runs.contains(run) else { return }
    runs[run].take(report)
    step(run, at: now) { $0.actionEnded(report, at: now.monotonic) }
  }

  /// Feeds one event to a run's machine and does what it orders. An event for a run that has ended
  /// changes nothing. A retry is scheduled here, when the machine moves to `backing_off`.
  mutating func step(_ run: RunID, at now: Now, _ event: (inout RunMachine) -> RunOrders) {
    guard runs.contains(run) else { return }
    let orders = event(&runs[run].machine)
    if let move = orders.move { moved(run, move, at: now) }
    if let action = orders.action { start(action, of: run, at: now) }
    if let signal = orders.signal { self.signal(run, signal) }
    switch orders.place {
    case .keep: break
    case .leave: runs.leavePlace(run)
    case .await: runs.askForPlace(run)
    }
    setTimer(of: run, orders.timer)
    switch runs[run].machine.state {
    case .ended(let end): return ended(run, end, at: now)
    // What a reload has changed meanwhile holds from the next attempt on.
    case .backingOff: adoptPresentSpec(run)
    case .queued, .running, .stopping, .killing: break
    }
    if orders.place != .keep { startWaitingRuns(at: now) }
  }

  private mutating func adoptPresentSpec(_ run: RunID) {
    let id = runs[run].job
    if !runs[run].isHook, jobs.isPresent(id) { runs[run].adopt(jobs[id].spec) }
  }

  // MARK: Orders

  private mutating func moved(_ run: RunID, _ move: RunMove, at now: Now) {
    if case .backingOff(_, let end) = runs[run].machine.state, runs[run].startedAt != nil {
      recordBackOff(run, end, at: now)
    }
    if isQuiet {
      runs[run].transitionCount += 1
      return
    }
    effects.append(.log(runs[run].note(move, at: now)))
  }

  private mutating func recordBackOff(_ run: RunID, _ end: RunEnd, at now: Now) {
    let attempt = runs[run].machine.attempt
    // Another attempt follows: the output of this one goes to the ledger at once.
    if let output = runs[run].takeUnrecordedOutput() {
      effects.append(.record(.attemptOutput(run, attempt: attempt, output, at: now.wall)))
    }
    let position =
      runs[run].retryPosition(at: now) ?? RetryPosition(attempt: attempt, until: now.wall, end: end)
    effects.append(.record(.backedOff(run, position, at: now.wall)))
  }

  private mutating func start(_ action: RunOrders.Start, of run: RunID, at now: Now) {
    if action.step == 0, action.attempt > runs[run].firstAttempt {
      effects.append(.record(.attemptBegan(run, attempt: action.attempt, at: now.wall)))
    }
    effects.append(.start(runs[run].request(for: action)))
  }

  private mutating func signal(_ run: RunID, _ signal: RunOrders.Signal) {
    switch signal {
    case .stop: effects.append(.signal(run, runs[run].spec.execution.stop.signal))
    case .kill: effects.append(.signal(run, .kill))
    }
  }

  private mutating func setTimer(of run: RunID, _ timer: RunOrders.Timer) {
    switch timer {
    case .keep: break
    case .arm(let deadline):
      let token = nextToken()
      runs[run].timerToken = token
      effects.append(.arm(.run(run), deadline: deadline, leeway: .zero, token: token))
    case .disarm:
      guard runs[run].timerToken != 0 else { return }
      runs[run].timerToken = 0
      effects.append(.disarm(.run(run)))
    }
  }

  // MARK: The end

  private mutating func ended(_ run: RunID, _ end: RunEnd, at now: Now) {
    runs.giveUpPlace(run)
    effects.append(.record(.ended(runs[run].bookEntry(end, at: now))))
    let last = runs[run].last(end)
    if let former = last.settles { effects.append(.record(.settled(former))) }
    if last.isExpected { effects.append(.disarm(.expected(run))) }
    let caller = last.hasHooks ? runs.run(run) : nil
    runs.remove(run)
    if !last.isHook { armAfterRun(of: last.job, at: now) }
    if last.hasHadAttempt {
      countFailure(of: last.job, end, hooks: caller, at: now)
      if last.isForGood { callFollowers(of: last.job, end, at: now) }
    }
    forgetIfGone(last.job)
    startWaitingRuns(at: now)
    finishIfIdle(at: now)
  }

  /// What waited for the end of a job's run may be due.
  private mutating func armAfterRun(of id: JobID, at now: Now) {
    guard jobs.isPresent(id) else { return }
    if jobs[id].isFixedDelay, !runs.hasActive(id) {
      jobs[id].rest(at: now)
      markDirty(id)
      arm(id, at: now)
    } else if !jobs[id].late.isEmpty {
      arm(id, at: now)
    }
  }

  /// A job that has been removed is forgotten when the last of its runs has ended.
  mutating func forgetIfGone(_ id: JobID) {
    if !jobs.isPresent(id), runs.ofJob(id).isEmpty { jobs.release(id) }
  }
}
