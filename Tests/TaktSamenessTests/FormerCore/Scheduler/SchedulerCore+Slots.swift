import TaktTime

/// Slots: armed, found due, decided.
extension SchedulerCore {
  /// Arms the job's timer for its next slot, or disarms it when there is none.
  mutating func arm(_ name: JobName, at now: Now) {
    guard phase == .running, var job = jobs[name] else { return }
    let wasArmed = job.armed != nil
    if let slot = awaited(of: job, at: now) {
      let token = nextToken()
      job.armed = (slot, token)
      job.hasBeenArmed = true
      effects.append(
        .arm(.job(name), deadline: slot.deadline, leeway: slot.window, token: token))
    } else {
      job.armed = nil
      if wasArmed { effects.append(.disarm(.job(name))) }
    }
    jobs[name] = job
  }

  private func awaited(of job: JobState, at now: Now) -> Slot? {
    if job.isHeld {
      return job.suspension?.until.map {
        Slot(nominal: $0, causes: [], deadline: now.monotonic + ($0 - now.wall))
      }
    }
    let next = job.cursor.next(of: job.spec.timing, for: job.spec.name, at: now)
    guard let late = job.late.first, let startsAt = late.startsAt, mayRunLate(job.spec),
      startsAt < next?.deadline ?? .distantFuture
    else { return next }
    return Slot(nominal: late.slot.nominal, causes: [], deadline: startsAt)
  }

  /// A job's timer has fired; a delivery that a later arming has overtaken is dropped.
  mutating func jobFired(_ name: JobName, token: UInt64, at now: Now) {
    guard phase == .running, let job = jobs[name], job.armed?.token == token else { return }
    // What most jobs never have is looked after apart.
    if job.suspension != nil || !job.late.isEmpty {
      jobs[name]?.armed = nil
      endSuspension(ifOver: name, at: now)
      if jobs[name]?.isHeld == false { serveLate(name, at: now) }
    }
    if let due = jobs[name]?.fired(at: now) { serve(due, of: job.spec, at: now) }
    if job.spec.timing.schedule.every?.origin == .end { restIfIdle(name, at: now) }
    arm(name, at: now)
  }

  /// A fixed delay begins anew where no run is to come that it could count from.
  mutating func restIfIdle(_ name: JobName, at now: Now) {
    guard let job = jobs[name], job.spec.timing.schedule.every?.origin == .end,
      !job.cursor.isDelaying, job.late.isEmpty, activeRuns[name] == nil
    else { return }
    jobs[name]?.cursor.rest(job.spec.timing.schedule, at: now)
    remark(name)
  }

  /// Serves what a wake has found: the newest slot, if its time is not over, and by the job's policy
  /// what has passed.
  private mutating func serve(_ due: ScheduleCursor.Due, of spec: JobSpec, at now: Now) {
    guard let due = withoutExcluded(due, of: spec, at: now) else { return }
    let isOver = due.newest.latestStart + spec.lateTolerance < now.monotonic
    let choice = spec.missed.choice
    if isOver || (!due.passed.isEmpty && choice == .all) {
      noticeJump(.asleep, at: now)
      settle(due.all, of: spec, by: spec.timing.schedule, nil, at: now)
      return giveTurns(to: [spec.name], at: now)
    }
    for series in due.passed {
      decide(
        spec.name, series,
        choice == .skip
          ? .missed(missCause(of: series, spec, at: now)) : .coalesced(into: due.newest.nominal),
        at: now)
    }
    coalesceLate(of: spec.name, into: due.newest, at: now)
    if due.newest.deadline > now.monotonic {
      putOff(due.newest, of: spec.name, until: due.newest.deadline)
    } else {
      serve(due.newest, of: spec, at: now)
    }
  }

  /// Something has happened that makes a job due at once.
  mutating func occur(_ causes: SlotCauses, for name: JobName, at now: Now) {
    guard let job = jobs[name], job.spec.timing.schedule.isWithinBounds(now.wall),
      let nominal = jobs[name]?.cursor.takeMoment(job.spec.timing.schedule, at: now)
    else { return }
    remark(name)
    let slot = Slot(nominal: nominal, causes: causes, deadline: now.monotonic)
    var reason = phase == .running ? job.rest : .stopping
    if job.spec.timing.schedule.excludes(nominal) { reason = reason ?? .excluded }
    if let reason {
      decide(name, SlotSeries(nominal), .skipped(reason), at: now, causes: slot.causes)
    } else {
      coalesceLate(of: name, into: slot, at: now)
      serve(slot, of: job.spec, at: now)
    }
  }

  mutating func changed(_ name: JobName, _ watch: PathWatch, at now: Now) {
    // A reload may have overtaken it.
    guard jobs[name]?.spec.timing.schedule.watch.contains(watch) == true else { return }
    occur([.watch], for: name, at: now)
  }

  /// Makes a run for a slot that is due, or says why there is none.
  mutating func serve(_ slot: Slot, of spec: JobSpec, at now: Now) {
    for id in activeRuns[spec.name] ?? [] { step(id, at: now) { $0.nextSlotCame() } }
    if let reason = refusal(of: spec) {
      decide(spec.name, SlotSeries(slot.nominal), .skipped(reason), at: now, causes: slot.causes)
      return
    }
    if spec.overlap == .replace { replaceRuns(of: spec.name, by: slot, at: now) }
    queueRun(.slot(slot), of: spec, at: now)
  }

  /// Why a slot gets no run; nil when it gets one.
  private func refusal(of spec: JobSpec) -> SkipReason? {
    let active = activeRuns[spec.name]?.count ?? 0
    if let limit = spec.timing.schedule.limit {
      // Those that wait for a place are going to run.
      let waiting = activeRuns[spec.name]?.count { runs[$0]?.undecidedSlot != nil } ?? 0
      if (jobs[spec.name]?.ranCount ?? 0) + waiting >= limit { return .limit }
    }
    return switch spec.overlap {
    case .skip: active > 0 ? .overlap : nil
    case .queue: active > Self.waitingRunsPerJobMax ? .queueFull : nil
    case .replace: nil
    case .allow: active >= settings.maxRunning + Self.waitingRunsPerJobMax ? .queueFull : nil
    }
  }

  /// Those that have started are stopped; the slot of one that has not goes with the new one.
  private mutating func replaceRuns(of name: JobName, by slot: Slot, at now: Now) {
    for id in activeRuns[name] ?? [] {
      if let undecided = runs[id]?.undecidedSlot {
        decide(name, SlotSeries(undecided.nominal), .coalesced(into: slot.nominal), at: now)
      }
      step(id, at: now) { $0.stop(.replaced, at: now.monotonic) }
    }
  }

  /// Decides all of a job whose instant has come alike; nil for a job that is held, whose slots were
  /// skipped.
  mutating func decideDue(_ name: JobName, as verdict: Verdict?, at now: Now) {
    guard let job = jobs[name],
      let due = jobs[name]?.cursor.takeDue(of: job.spec.timing, for: name, at: now)
    else { return }
    for series in due.all {
      decide(name, series, verdict ?? .skipped(job.rest ?? .suspended), at: now)
    }
  }

  /// Records and logs a verdict.
  mutating func decide(
    _ name: JobName, _ slots: SlotSeries, _ verdict: Verdict, at now: Now,
    causes: SlotCauses = [], run: RunID? = nil, more: [LogField] = []
  ) {
    effects.append(
      .record(
        .verdict(
          VerdictRecord(job: name, slots: slots, verdict: verdict, at: now.wall, run: run))))
    // What was put off would wait for a turn that does not come.
    if verdict == .ran, jobs[name]?.countRan(slots.count) == true {
      giveUpLate(of: name, as: .skipped(.limit), at: now)
    }
    remark(name)
    if isQuiet { return }
    var fields = [
      LogField(.job, .text(name.text)), LogField(.slot, .instant(slots.first)),
    ]
    if slots.count > 1 {
      fields.append(LogField(.slotLast, .instant(slots.last)))
      fields.append(LogField(.count, .number(Int64(slots.count))))
    }
    if !causes.isEmpty {
      let names = causes.sorted().map(\.rawValue).joined(separator: ",")
      fields.append(LogField(.cause, .text(names)))
    }
    fields.append(LogField(.verdict, .text(verdict.name)))
    if let detail = verdict.detail { fields.append(LogField(.reason, .text(detail))) }
    log(verdict.level, .slot, at: now, fields + more)
  }
}

extension Verdict {
  fileprivate var level: LogLevel {
    switch self {
    case .ran, .skipped(.suspended), .skipped(.stopping), .skipped(.excluded), .skipped(.limit):
      .info
    case .cancelled: .notice
    case .skipped, .coalesced, .missed: .warning
    }
  }
}
