import TaktTime

/// Reload: applies the changes of the plan and no others. New slots are later than the reload.
extension SchedulerCore {
  mutating func reload(_ plan: ReloadPlan, at now: Now) {
    guard phase == .running else {
      log(.warning, .reload, at: now, [LogField(.message, .text("not reloaded: takt is stopping"))])
      return
    }
    let keys = settings.keysForRestart(to: plan.settings).map { "'\($0)'" }
    adopt(settings.reloaded(with: plan.settings))
    placement?.note(.reloading, in: &self, at: now)
    if let last = keys.last {
      let names = keys.count == 1 ? last : "\(keys.dropLast().joined(separator: ", ")) and \(last)"
      log(
        .warning, .reload, at: now,
        [
          LogField(
            .message,
            .text("\(names) changed, which \(keys.count == 1 ? "needs" : "need") a restart"))
        ])
    }
    effects.append(
      .record(
        .reloaded(
          ReloadRecord(
            at: now.wall, kept: plan.keptCount,
            lines: plan.steps.map { "\($0.change.rawValue) \($0.spec.name)" }))))
    for step in plan.steps {
      if step.change != .added { logStep(step, at: now) }
      switch step.change {
      case .kept: break
      case .updated: update(step.spec, at: now)
      case .rearmed: rearm(step.spec, at: now)
      case .added:
        let id = add(step.spec, .reload, at: now)
        // Only now is it known whether the job has a timer.
        logStep(step, hasTimer: jobs[id].timer != nil, at: now)
        occur(on: [.reload], for: id, at: now)
        watchFreshness(of: id, .resumed, at: now)
      case .removed: remove(step.spec.name, at: now)
      }
    }
    log(
      .info, .plan, at: now, routine: true,
      [
        LogField(.change, .text("kept")), LogField(.count, .number(Int64(plan.keptCount))),
      ])
    for rename in plan.probableRenames {
      log(
        .notice, .reload, at: now,
        [
          LogField(
            .message,
            .text(
              "'\(rename.to)' looks like '\(rename.from)' renamed; it is a new job, with a new schedule"
            ))
        ])
    }
    log(.notice, .reload, at: now, [LogField(.message, .text("reloaded"))])
    logMetricsLimit(at: now)
    placement?.note(.jobsChanged, in: &self, at: now)
    startWaitingRuns(at: now)
  }

  /// Loads a job: one that was removed earlier comes back with its anchor and its marks.
  @discardableResult
  mutating func add(_ spec: JobSpec, _ arrival: JobArrival, at now: Now) -> JobID {
    let schedule = spec.timing.schedule
    let id: JobID
    let memory = removedJobs.remove(spec.name)
    if let memory {
      logPastInstants(schedule.at, of: spec.name, but: memory.at, at: now)
      id = jobs.insert(JobState(spec, from: memory))
      // While it was away the job had no slots.
      jobs[id].cursor.skip(to: now, from: Schedule(), to: schedule)
      keepEnds(of: id, from: nil, to: schedule)
      follow(id, from: nil, to: spec)
      beginVersion(of: id, at: now)
    } else {
      id = jobs.insert(
        JobState(spec: spec, cursor: ScheduleCursor(schedule: schedule, at: now)))
      follow(id, from: nil, to: spec)
      beginVersion(of: id, isFirst: arrival.isFirst, at: now)
    }
    placement?.note(.added(id, arrival), in: &self, at: now)
    // Of a shared job the others may have served them.
    if memory == nil, arrival.isFirst { missPast(schedule.at, of: id, at: now) }
    arm(id, at: now)
    return id
  }

  /// The timer is not touched: a slot that is due is served under the new spec.
  private mutating func update(_ spec: JobSpec, at now: Now) {
    guard let id = jobs.find(spec.name) else { return }
    let old = jobs[id].spec
    replaceSpec(of: id, spec, at: now)
    conditionChanged(of: id, from: old, at: now)
    if old.missed.times != spec.missed.times { retimeLate(of: id, at: now) }
    occur(on: [.reload], for: id, at: now)
    watchFreshness(of: id, .changed, at: now)
  }

  private mutating func rearm(_ spec: JobSpec, at now: Now) {
    guard let id = jobs.find(spec.name) else { return }
    let (old, rest) = (jobs[id].spec, jobs[id].holdReason)
    let due = jobs[id].popDue(at: now)
    follow(id, from: old, to: spec)
    keepEnds(of: id, from: old.timing.schedule, to: spec.timing.schedule)
    // The old schedule's exclusions are applied before the job has the new one.
    let kept = rest == nil ? due.flatMap { withoutExcluded($0, of: id, at: now) } : nil
    replaceSpec(of: id, spec, at: now)
    if let rest {
      for series in due?.all ?? [] { decide(id, series, .skipped(rest), at: now) }
    } else if let kept {
      serveOrDisplace(kept, of: id, by: old.timing.schedule, at: now)
    }
    jobs[id].cursor.skip(to: now, from: old.timing.schedule, to: spec.timing.schedule)
    // While one is active the end to count from is still to come.
    if runs.hasActive(id) || placement?.shares(id, in: &self) == true {
      jobs[id].cursor.runStarted()
    }
    logPastInstants(spec.timing.schedule.at, of: spec.name, but: old.timing.schedule.at, at: now)
    beginVersion(of: id, at: now)
    if let rest = jobs[id].holdReason { giveUpLate(of: id, as: .skipped(rest), at: now) }
    if !spec.timing.isEnabled {
      giveUpCheck(of: id, as: .skipped(.suspended), at: now)
      suspendWaiting(of: id, at: now)
    }
    conditionChanged(of: id, from: old, at: now)
    startDelayIfIdle(id, at: now)
    if old.missed.times != spec.missed.times { retimeLate(of: id, at: now) }
    occur(on: [.reload], for: id, at: now)
    arm(id, at: now)
    watchFreshness(of: id, rest == nil ? .changed : .resumed, at: now)
  }

  /// Slots of a job that is disabled now will not run, although they came before.
  mutating func suspendWaiting(of id: JobID, at now: Now) {
    placement?.note(.givenUp(id), in: &self, at: now)
    for run in runs.active(of: id).all where runs.contains(run) {
      guard let slot = runs[run].undecidedSlot else { continue }
      decide(id, SlotSeries(slot.nominal), .skipped(.suspended), at: now)
      step(run, at: now) { $0.stop(.byOperator, at: now.monotonic) }
    }
  }

  /// A slot that was due under the old schedule is served if the new leeway still allows it.
  private mutating func serveOrDisplace(
    _ due: ScheduleCursor.Due, of id: JobID, by schedule: Schedule, at now: Now
  ) {
    if placement?.takes(passed: due.passed, of: id, by: schedule, in: &self, at: now) != true {
      for series in due.passed {
        decide(id, series, .coalesced(into: due.newest.nominal), at: now)
      }
    }
    // Its own offset stays, the leeway is the new one.
    var bare = due.newest
    bare.deadline = bare.deadline - bare.offset
    let (timing, cursor) = (jobs[id].spec.timing, jobs[id].cursor)
    let window = cursor.place(bare, in: timing, for: jobs.name(of: id), at: now).window
    if !timing.isEnabled || due.newest.deadline + window < now.monotonic {
      decide(id, SlotSeries(due.newest.nominal), .cancelled(.displaced), at: now)
    } else if due.newest.deadline > now.monotonic {
      putOff(due.newest, of: id, until: due.newest.deadline)
    } else {
      serve(due.newest, of: id, at: now)
    }
  }

  private mutating func remove(_ name: JobName, at now: Now) {
    guard let id = jobs.find(name) else { return }
    decideDue(id, as: jobs[id].isHeld ? nil : .cancelled(.removed), at: now)
    giveUpLate(of: id, as: .cancelled(.removed), at: now)
    giveUpCheck(of: id, as: .cancelled(.removed), at: now)
    endVersion(of: id, at: now)
    let spec = jobs[id].spec
    removedJobs.keep(jobs[id].memory, of: name)
    follow(id, from: spec, to: nil)
    placement?.note(.removed(id), in: &self, at: now)
    endTimers(of: id)
    jobs.remove(id)
    watchChanges.forget(id)
    stopRuns(ofRemoved: id, spec.removal, at: now)
    removeIfEnded(id)
  }

  /// Ends the timers of a job that is removed, or must not continue.
  mutating func endTimers(of id: JobID) {
    endPause(of: id)
    endFreshnessTimer(of: id)
    effects.append(.disarm(.job(id)))
  }

  /// The runs of a removed job are killed, or end by themselves; it starts no further attempt.
  private mutating func stopRuns(ofRemoved id: JobID, _ removal: Removal, at now: Now) {
    for run in runs.active(of: id).all where runs.contains(run) {
      if let slot = runs[run].undecidedSlot {
        decide(id, SlotSeries(slot.nominal), .cancelled(.removed), at: now)
      }
      if runs[run].isInProgress, removal == .drain {
        step(run, at: now) { $0.allowNoRetry() }
      } else {
        step(run, at: now) { $0.stop(.removed, at: now.monotonic) }
      }
    }
  }

  /// Queued runs of the job will start under the new spec.
  private mutating func replaceSpec(of id: JobID, _ spec: JobSpec, at now: Now) {
    let old = jobs[id].spec
    jobs[id].spec = spec
    // Otherwise the ledger still has them after a restart.
    if jobs[id].forgetFailedAlarms(of: old) { markDirty(id) }
    placement?.note(.changed(id, from: old), in: &self, at: now)
    for run in runs.active(of: id).all {
      if runs[run].isInProgress || runs[run].isClaiming { continue }
      runs[run].adopt(spec)
      if runs[run].isQueued { runs.askForPlace(run) }
    }
  }

  /// Instants that were past when takt first loaded the job.
  private mutating func missPast(_ instants: [WallInstant], of id: JobID, at now: Now) {
    for instant in Self.past(instants, at: now) {
      decide(id, SlotSeries(instant), .missed(.down), at: now, causes: [.at])
    }
  }

  /// Past instants that a reload gives a job that was there before: they were never slots, or have
  /// been decided under an older schedule.
  mutating func logPastInstants(
    _ instants: [WallInstant], of name: JobName, but known: [WallInstant], at now: Now
  ) {
    for instant in Self.past(instants, at: now) where !known.contains(instant) {
      log(
        .warning, .reload, at: now,
        [
          LogField(.job, .text(name.text)), LogField(.slot, .instant(instant)),
          LogField(
            .message, .text("'at' \(instant.rfc3339()) is in the past, so it makes no slot")),
        ])
    }
  }

  private static func past(_ instants: [WallInstant], at now: Now) -> [WallInstant] {
    instants.filter { $0.milliseconds <= now.wall.milliseconds }
  }

  /// - Parameter hasTimer: true to name the job's timer.
  private mutating func logStep(_ step: ReloadPlan.Step, hasTimer: Bool = false, at now: Now) {
    let name = step.spec.name
    let machine = hasTimer ? [LogField(.machine, .machine(.timer(.job(name))))] : []
    func record(_ fields: [LogField], _ core: inout SchedulerCore) {
      core.log(
        .notice, .plan, at: now,
        machine + [
          LogField(.job, .text(name.text)), LogField(.change, .text(step.change.rawValue)),
        ] + fields)
    }
    if step.details.isEmpty { record([], &self) }
    for detail in step.details {
      record(
        [LogField(.cause, .text(detail.key))]
          + (detail.from.map { [LogField(.from, .text($0))] } ?? [])
          + (detail.to.map { [LogField(.to, .text($0))] } ?? []), &self)
    }
  }
}
