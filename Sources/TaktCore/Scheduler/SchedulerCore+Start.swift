import TaktTime

/// The state of previous daemons: jobs continue on their grids, runs without an end get one, slots
/// that passed while no daemon ran get their verdicts.
extension SchedulerCore {
  mutating func start(_ snapshot: Snapshot, after previous: PreviousState, at now: Now) {
    guard phase == .starting else { return }
    phase = .running
    adopt(snapshot.settings)
    runs.lastRun = previous.lastRun
    placement?.note(.starting(after: previous), in: &self, at: now)
    clocks.set(at: now)
    jobs.reserve(snapshot.jobs.count)
    // Mostly a job has a timer, a schedule and a checkpoint.
    effects.reserveCapacity(effects.count + 3 * snapshot.jobs.count + 8)
    unmarked.reserveCapacity(snapshot.jobs.count)
    log(
      .notice, .scheduler, at: now,
      [
        LogField(.message, .text("started; jobs: \(snapshot.jobs.count)")),
        LogField(.count, .number(Int64(snapshot.jobs.count))),
      ])
    restore(previous, with: snapshot.jobs, at: now)
    logMetricsLimit(at: now)
    placement?.note(.jobsChanged, in: &self, at: now)
  }

  private mutating func restore(_ previous: PreviousState, with specs: [JobSpec], at now: Now) {
    var left = previous.jobs
    // A run that was claimed may have started: its slot no longer waits for anything.
    for run in previous.runs where run.isUndecided {
      left[run.head.job]?.pending.removeAll { $0 == run.head.slot }
    }
    var passed: Set<JobName> = []
    var ids: [JobID] = []
    ids.reserveCapacity(specs.count)
    for spec in specs {
      let job = left.isEmpty ? nil : left.removeValue(forKey: spec.name)
      if let job, job.isOpen {
        let id = jobs.insert(JobState(spec, from: RemovedJob(job, at: now)))
        if restore(job, as: id, at: now) { passed.insert(spec.name) }
        arm(id, at: now)
        ids.append(id)
      } else {
        if let job { removedJobs.keep(RemovedJob(job, at: now), of: spec.name) }
        ids.append(add(spec, .start(isLedgerUnread: previous.isUnread), at: now))
      }
    }
    for name in left.keys.sorted() {
      guard let job = left[name] else { continue }
      if job.isOpen { abandon(job, at: now) }
      removedJobs.keep(RemovedJob(job, at: now), of: name)
    }
    var ended: [JobName] = []
    for run in previous.runs where restore(run, slotsPassed: passed, at: now) {
      ended.append(run.head.job)
    }
    giveTurns(to: ids, at: now)
    for parent in ended.compactMap({ jobs.id(ofKnown: $0) }) {
      callFollowers(of: parent, RunEnd(.interrupted, .down), at: now)
    }
    // A daemon that has run since the machine was booted has already had its boot event.
    let isBoot = !previous.isUnread && !previous.jobs.values.contains(where: \.isSameBoot)
    let lifecycleEvents: Set<LifecycleEvent> = isBoot ? [.boot, .start] : [.start]
    for id in ids { occur(on: lifecycleEvents, for: id, at: now) }
    for id in ids where jobs[id].isFixedDelay {
      startDelayIfIdle(id, at: now)
      arm(id, at: now)
    }
    for id in ids where jobs[id].spec.freshFor != nil || jobs[id].alarms != nil {
      watchFreshness(of: id, .absence, at: now)
    }
  }

  /// A job that existed before and exists now. Returns true if slots of it have passed.
  private mutating func restore(_ previous: PreviousJob, as id: JobID, at now: Now) -> Bool {
    let (old, spec) = (previous.version, jobs[id].spec)
    follow(id, from: nil, to: spec)
    placement?.note(
      .restored(id, isChanged: old.schedule != spec.timing.schedule), in: &self, at: now)
    keepEnds(of: id, from: old.schedule, to: spec.timing.schedule)
    markDirty(id)
    let passed = settlePassed(of: previous, id, at: now)
    if old.schedule != spec.timing.schedule || old.isEnabled != spec.timing.isEnabled {
      jobs[id].cursor.skip(to: now, from: old.schedule, to: spec.timing.schedule)
      logPastInstants(spec.timing.schedule.at, of: spec.name, but: old.schedule.at, at: now)
      beginVersion(of: id, at: now)
    }
    return passed
  }

  private mutating func settlePassed(of previous: PreviousJob, _ id: JobID, at now: Now) -> Bool {
    let schedule = previous.version.schedule
    if !previous.version.isEnabled {
      skip(id, schedule, .suspended, at: now)
    } else if let suspension = jobs[id].suspension {
      let end = min(suspension.until ?? now.wall, now.wall)
      skip(
        id, schedule, .suspended,
        at: Now(wall: end, monotonic: now.monotonic - (now.wall - end)))
      if let until = suspension.until, until <= now.wall { jobs[id].suspension = nil }
    } else if let limit = schedule.limit, previous.checkpoint.ranCount >= limit {
      skip(id, schedule, .limit, at: now)
    }
    var passed = previous.pending.map { SlotSeries($0) }
    if let due = popDue(id, by: schedule, at: now) { passed += due.all }
    guard !passed.isEmpty else { return false }
    if let rest = jobs[id].holdReason {
      for series in passed { decide(id, series, .skipped(rest), at: now) }
    } else if placement?.takes(passed: passed, of: id, by: schedule, in: &self, at: now) != true {
      settle(passed, of: id, by: schedule, .down, at: now)
    }
    return true
  }

  private mutating func skip(
    _ id: JobID, _ schedule: Schedule, _ reason: SkipReason, at instant: Now
  ) {
    guard let due = popDue(id, by: schedule, at: instant) else { return }
    for series in due.all { decide(id, series, .skipped(reason), at: instant) }
  }

  /// The due slots of a job by its previous schedule.
  private mutating func popDue(
    _ id: JobID, by schedule: Schedule, at instant: Now
  ) -> ScheduleCursor.Due? {
    jobs[id].cursor.popDue(of: Timing(schedule: schedule), for: jobs.name(of: id), at: instant)
  }

  /// A job that was removed from the file while takt was not running.
  private mutating func abandon(_ previous: PreviousJob, at now: Now) {
    let name = previous.checkpoint.job
    var cursor = ScheduleCursor(
      previous.checkpoint.cursor, isSameBoot: previous.isSameBoot, at: now)
    var passed = previous.pending.map { SlotSeries($0) }
    let timing = Timing(schedule: previous.version.schedule)
    if let due = cursor.popDue(of: timing, for: name, at: now) { passed += due.all }
    let isHeld = !previous.version.isEnabled || previous.checkpoint.suspension != nil
    let isSpent = previous.checkpoint.ranCount >= previous.version.schedule.limit ?? .max
    let verdict: Verdict =
      isHeld ? .skipped(.suspended) : isSpent ? .skipped(.limit) : .missed(.down)
    for series in passed {
      record(VerdictRecord(job: name, slots: series, verdict: verdict, at: now.wall))
    }
    var checkpoint = previous.checkpoint
    checkpoint.cursor = cursor.state
    effects.append(.record(.checkpoint(checkpoint)))
    effects.append(.record(.scheduleEnded(name, cursor.edge(at: now))))
  }
}

// MARK: - Runs

extension SchedulerCore {
  /// Returns true if this ends the run finally.
  private mutating func restore(
    _ previous: PreviousRun, slotsPassed: Set<JobName>, at now: Now
  ) -> Bool {
    let head = previous.head
    let id = jobs.id(of: head.job)
    if previous.isUndecided {
      let verdict = VerdictRecord(
        job: head.job, slots: SlotSeries(head.slot), verdict: .ran, at: now.wall, run: head.run)
      if let id { decideRan(id, verdict, at: now) } else { record(verdict) }
    }
    let next = id.flatMap { nextAttempt(of: previous, $0, slotsPassed: slotsPassed, at: now) }
    if !previous.isEnded {
      interrupt(previous, next, at: now)
    } else if next == nil {
      effects.append(.record(.settled(head.run)))
    }
    if let id, let next { resumeRetries(with: previous, id, next, at: now) }
    return next == nil && head.kind != .hook && head.kind != .backfill
  }

  /// The next attempt of a run; nil if there is none.
  private mutating func nextAttempt(
    of previous: PreviousRun, _ id: JobID, slotsPassed: Set<JobName>, at now: Now
  ) -> RetryPosition? {
    let spec = jobs[id].spec
    guard previous.head.kind != .hook, previous.head.kind != .backfill, !jobs[id].isHeld else {
      return nil
    }
    // Its claim belongs to the previous daemon's membership, and is settled with that.
    if previous.head.kind != .manual, placement?.shares(id, in: &self) == true { return nil }
    if let retry = previous.retry, retry.attempt > 0 {
      let gaveUp =
        spec.execution.retry.end == .nextSlot && slotsPassed.contains(spec.name)
        || retry.attempt >= spec.execution.retry.attempts
        || previous.isPastDeadline(of: spec.execution.retry, at: now)
      return gaveUp ? nil : retry
    }
    guard previous.retry != nil || previous.head.delivery == .atLeastOnce,
      spec.delivery == .atLeastOnce, previous.head.kind != .manual,
      age(of: previous.head.slot, id, by: spec.timing.schedule, at: now)
        <= spec.missed.within(spec.timing.schedule, of: previous.head.slot)
    else { return nil }
    return RetryPosition(attempt: 0, until: now.wall, end: RunEnd(.interrupted, .down))
  }

  private mutating func interrupt(_ previous: PreviousRun, _ next: RetryPosition?, at now: Now) {
    let head = previous.head
    let record = RunRecord(
      head, attempts: previous.attempts, end: RunEnd(.interrupted, .down), endedAt: now.wall,
      duration: .zero, retry: next)
    effects.append(.record(.ended(record)))
    var fields = FieldList()
    fields.put(.job, text: head.job.text)
    fields.put(.run, number: Int64(head.run.number))
    fields.put(.slot, instant: head.slot)
    record.put(into: &fields)
    fields.put(
      .message,
      text: next == nil
        ? "interrupted when the previous daemon ended"
        : "interrupted when the previous daemon ended; takt tries again")
    log(.warning, .run, at: now, fields.fields)
  }

  private mutating func resumeRetries(
    with previous: PreviousRun, _ id: JobID, _ next: RetryPosition, at now: Now
  ) {
    let spec = jobs[id].spec
    let run = runs[runs.insert(of: id, spec, .resumed(previous.head.slot, previous.head.run))].id
    jobs[id].cursor.runStarted()
    markDirty(id)
    if next.attempt > 0 {
      // Even if a clock was or is wrong, it waits no longer than the job's own bound.
      let wait = min(next.until - now.wall, spec.execution.retry.delayMax * 2)
      let until = now.monotonic + max(.zero, wait)
      let firstStart = previous.firstStart.map { now.monotonic - max(.zero, now.wall - $0) }
      step(run, at: now) {
        $0.resume(after: next.attempt, next.end, until: until, firstStart: firstStart)
      }
    } else {
      runs.askForPlace(run)
      startWaitingRuns(at: now)
    }
  }
}

extension PreviousRun {
  /// True if the time for all of its attempts together is over.
  fileprivate func isPastDeadline(of retry: RetryPolicy, at now: Now) -> Bool {
    guard let within = retry.within, let firstStart else { return false }
    return firstStart + within <= now.wall
  }
}
