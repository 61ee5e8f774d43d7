import TaktTime

/// What former takts have left: jobs go on on their grids, runs without an end get one, slots that
/// passed while nobody was there get their verdicts.
extension SchedulerCore {
  mutating func takeUp(_ former: FormerBooks, with specs: [JobSpec], at now: Now) {
    isBlind = former.isUnread
    defer { isBlind = false }
    var left = former.jobs
    // A run that was claimed may have begun: its slot does not wait for anything any more.
    for run in former.runs where run.isUndecided {
      left[run.head.job]?.pending.removeAll { $0 == run.head.slot }
    }
    var passed: Set<JobName> = []
    for spec in specs {
      let job = left.removeValue(forKey: spec.name)
      if let job, job.isOpen {
        if takeUp(job, as: spec, at: now) { passed.insert(spec.name) }
        arm(spec.name, at: now)
      } else {
        if let job { remember(job, at: now) }
        add(spec, at: now)
      }
    }
    for name in left.keys.sorted() {
      guard let job = left[name] else { continue }
      if job.isOpen { abandon(job, at: now) }
      remember(job, at: now)
    }
    var ended: [JobName] = []
    for run in former.runs where takeUp(run, slotsPassed: passed, at: now) {
      ended.append(run.head.job)
    }
    giveTurns(to: specs.map(\.name), at: now)
    for parent in ended { callFollowers(of: parent, RunEnd(.interrupted, .down), at: now) }
    // A takt that was there since the machine started has had its boot.
    let isBoot = !isBlind && !former.jobs.values.contains(where: \.isSameBoot)
    for spec in specs { occur(isBoot ? [.boot, .start] : [.start], for: spec, at: now) }
    for spec in specs where spec.timing.schedule.every?.origin == .end {
      restIfIdle(spec.name, at: now)
      arm(spec.name, at: now)
    }
  }

  /// A job that was there before and is there now. Returns whether slots of it have passed.
  private mutating func takeUp(_ former: FormerJob, as spec: JobSpec, at now: Now) -> Bool {
    let name = spec.name
    let old = former.version
    var job = JobState(
      spec: spec,
      cursor: ScheduleCursor(former.mark.cursor, isSameBoot: former.isSameBoot, at: now),
      failureStreak: former.mark.failureStreak)
    job.ranCount = former.mark.ranCount
    job.suspension = former.mark.suspension
    jobs[name] = job
    follow(from: nil, to: spec)
    remark(name)
    let passed = settlePassed(of: former, spec, at: now)
    if old.schedule != spec.timing.schedule || old.isEnabled != spec.timing.isEnabled {
      jobs[name]?.cursor.skip(to: now, from: old.schedule, to: spec.timing.schedule)
      tellPast(spec.timing.schedule.at, of: name, but: old.schedule.at, at: now)
      beginVersion(of: name, at: now)
    }
    return passed
  }

  private mutating func settlePassed(
    of former: FormerJob, _ spec: JobSpec, at now: Now
  ) -> Bool {
    let name = spec.name
    let schedule = former.version.schedule
    if !former.version.isEnabled {
      skip(name, schedule, .suspended, at: now)
    } else if let suspension = jobs[name]?.suspension {
      let end = min(suspension.until ?? now.wall, now.wall)
      skip(
        name, schedule, .suspended,
        at: Now(wall: end, monotonic: now.monotonic - (now.wall - end)))
      if let until = suspension.until, until <= now.wall { jobs[name]?.suspension = nil }
    } else if let limit = schedule.limit, former.mark.ranCount >= limit {
      skip(name, schedule, .limit, at: now)
    }
    var passed = former.pending.map { SlotSeries($0) }
    let timing = Timing(schedule: schedule)
    if let due = jobs[name]?.cursor.takeDue(of: timing, for: name, at: now) { passed += due.all }
    guard !passed.isEmpty else { return false }
    if let rest = jobs[name]?.rest {
      for series in passed { decide(name, series, .skipped(rest), at: now) }
    } else {
      settle(passed, of: spec, by: schedule, .down, at: now)
    }
    return true
  }

  private mutating func skip(
    _ name: JobName, _ schedule: Schedule, _ reason: SkipReason, at moment: Now
  ) {
    let timing = Timing(schedule: schedule)
    guard let due = jobs[name]?.cursor.takeDue(of: timing, for: name, at: moment) else { return }
    for series in due.all { decide(name, series, .skipped(reason), at: moment) }
  }

  /// A job that has gone from the file while takt was not there.
  private mutating func abandon(_ former: FormerJob, at now: Now) {
    let name = former.mark.job
    var cursor = ScheduleCursor(former.mark.cursor, isSameBoot: former.isSameBoot, at: now)
    var passed = former.pending.map { SlotSeries($0) }
    let timing = Timing(schedule: former.version.schedule)
    if let due = cursor.takeDue(of: timing, for: name, at: now) { passed += due.all }
    let isHeld = !former.version.isEnabled || former.mark.suspension != nil
    let isSpent = former.mark.ranCount >= former.version.schedule.limit ?? .max
    for series in passed {
      decide(
        name, series,
        isHeld ? .skipped(.suspended) : isSpent ? .skipped(.limit) : .missed(.down), at: now)
    }
    var mark = former.mark
    mark.cursor = cursor.state
    effects.append(.record(.mark(mark)))
    effects.append(.record(.scheduleEnded(name, cursor.edge(at: now))))
  }

  /// A job that is not among those of now, for when it comes back.
  private mutating func remember(_ former: FormerJob, at now: Now) {
    remember(
      former.mark.job,
      JobState.Memory(
        cursor: ScheduleCursor(former.mark.cursor, isSameBoot: former.isSameBoot, at: now),
        at: former.version.schedule.at, failureStreak: former.mark.failureStreak,
        ranCount: former.mark.ranCount, suspension: former.mark.suspension, number: 0))
  }
}

// MARK: - Runs

extension SchedulerCore {
  /// Returns whether the run has come to its last end by this.
  private mutating func takeUp(
    _ former: FormerRun, slotsPassed: Set<JobName>, at now: Now
  ) -> Bool {
    let head = former.head
    let spec = jobs[head.job]?.spec
    if former.isUndecided {
      decide(
        head.job, SlotSeries(head.slot), .ran, at: now, run: head.run,
        more: [LogField(.run, .number(Int64(head.run.number)))])
    }
    let next = spec.flatMap { nextAttempt(of: former, $0, slotsPassed: slotsPassed, at: now) }
    if !former.isEnded {
      interrupt(former, next, at: now)
    } else if next == nil {
      effects.append(.record(.settled(head.run)))
    }
    if let spec, let next { goOn(with: former, spec, next, at: now) }
    return next == nil && head.kind != .hook
  }

  /// Where a run goes on; nil when it does not.
  private func nextAttempt(
    of former: FormerRun, _ spec: JobSpec, slotsPassed: Set<JobName>, at now: Now
  ) -> RetryPosition? {
    guard former.head.kind != .hook, jobs[spec.name]?.isHeld == false else { return nil }
    if let retry = former.retry, retry.attempt > 0 {
      let gaveUp =
        spec.execution.retry.end == .nextSlot && slotsPassed.contains(spec.name)
        || retry.attempt >= spec.execution.retry.attempts
      return gaveUp ? nil : retry
    }
    guard former.retry != nil || former.head.delivery == .atLeastOnce,
      spec.delivery == .atLeastOnce, former.head.kind != .manual,
      age(of: former.head.slot, spec, at: now)
        <= spec.missed.within(spec.timing.schedule, of: former.head.slot)
    else { return nil }
    return RetryPosition(attempt: 0, until: now.wall, end: RunEnd(.interrupted, .down))
  }

  /// How old a slot is by the clock that it stands on.
  private func age(of slot: WallInstant, _ spec: JobSpec, at now: Now) -> Duration {
    let reading = jobs[spec.name]?.cursor.reading(by: slot, spec.timing.schedule, at: now)
    return .milliseconds((reading ?? now.wall.milliseconds) - slot.milliseconds)
  }

  private mutating func interrupt(_ former: FormerRun, _ next: RetryPosition?, at now: Now) {
    let (head, end) = (former.head, RunEnd(.interrupted, .down))
    effects.append(
      .record(
        .ended(
          RunRecord(
            head, attempts: former.attempts, end: end, endedAt: now.wall, duration: .zero,
            retry: next))))
    log(
      .warning, .run, at: now,
      [
        LogField(.job, .text(head.job.text)), LogField(.run, .number(Int64(head.run.number))),
        LogField(.slot, .instant(head.slot)), LogField(.outcome, .text(end.outcome.rawValue)),
        LogField(.reason, .text(end.reason.description)),
        LogField(
          .message,
          .text(
            next == nil
              ? "a former takt did not bring it to its end"
              : "a former takt did not bring it to its end: it goes on")),
      ])
  }

  private mutating func goOn(
    with former: FormerRun, _ spec: JobSpec, _ next: RetryPosition, at now: Now
  ) {
    lastRun += 1
    let id = RunID(lastRun)
    runs[id] = ActiveRun(
      id: id, spec: spec, origin: .resumed(former.head.slot, former.head.run))
    activeRuns[spec.name, default: []].append(id)
    jobs[spec.name]?.cursor.runStarted()
    remark(spec.name)
    if next.attempt > 0 {
      // However wrong a clock was or is, it waits no longer than the job says.
      let wait = min(next.until - now.wall, spec.execution.retry.delayMax * 2)
      let until = now.monotonic + max(.zero, wait)
      step(id, at: now) { $0.resume(after: next.attempt, next.end, until: until) }
    } else {
      if let run = runs[id] { queue.add(run.ticket) }
      startWaitingRuns(at: now)
    }
  }

  /// A run that went on where a former one had stopped: what is kept of that is over, unless it has
  /// not come to it.
  mutating func settleFormer(of run: ActiveRun, _ end: RunEnd) {
    guard case .resumed(_, let former) = run.origin, run.startedAt == nil, !run.isClaiming,
      end != RunEnd(.cancelled, .shutdown)
    else { return }
    effects.append(.record(.settled(former)))
  }
}
