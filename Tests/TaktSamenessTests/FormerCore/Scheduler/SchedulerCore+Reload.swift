import TaktTime
import DequeModule

/// Reload: change what the plan says and nothing else. New slots are later than the reload.
extension SchedulerCore {
  mutating func reload(_ plan: ReloadPlan, at now: Now) {
    guard phase == .running else {
      log(.warning, .reload, at: now, [LogField(.message, .text("not reloaded: takt is stopping"))])
      return
    }
    let former = settings
    adopt(plan.settings)
    if former.state != settings.state || former.history != settings.history {
      log(
        .warning, .reload, at: now,
        [LogField(.message, .text("'state' and 'history' count from the next start on"))])
    }
    effects.append(
      .record(
        .reloaded(
          ReloadRecord(
            at: now.wall, kept: plan.keptCount,
            lines: plan.steps.map { "\($0.change.rawValue) \($0.spec.name)" }))))
    for step in plan.steps {
      logStep(step, at: now)
      switch step.change {
      case .kept: break
      case .updated: update(step.spec, at: now)
      case .rearmed: rearm(step.spec, at: now)
      case .added:
        add(step.spec, at: now)
        occur([.reload], for: step.spec, at: now)
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
              "'\(rename.to)' looks like '\(rename.from)' renamed: it is a new job, with a new anchor"
            ))
        ])
    }
    log(.notice, .reload, at: now, [LogField(.message, .text("reloaded"))])
    startWaitingRuns(at: now)
  }

  /// Takes up a job: one that was removed earlier comes back with its anchor and its marks.
  mutating func add(_ spec: JobSpec, at now: Now) {
    let schedule = spec.timing.schedule
    follow(from: nil, to: spec)
    if let memory = memories.removeValue(forKey: spec.name) {
      var job = JobState(spec: spec, cursor: memory.cursor, failureStreak: memory.failureStreak)
      job.ranCount = memory.ranCount
      job.suspension = memory.suspension
      tellPast(schedule.at, of: spec.name, but: memory.at, at: now)
      // While it was away the job had no slots.
      job.cursor.skip(to: now, from: Schedule(), to: schedule)
      jobs[spec.name] = job
      beginVersion(of: spec.name, at: now)
    } else {
      jobs[spec.name] = JobState(
        spec: spec, cursor: ScheduleCursor(schedule: schedule, at: now))
      beginVersion(of: spec.name, isFirst: !isBlind, at: now)
      if !isBlind { missPast(schedule.at, of: spec.name, at: now) }
    }
    arm(spec.name, at: now)
  }

  /// The timer is not touched: a slot that is due is served under the new spec.
  private mutating func update(_ spec: JobSpec, at now: Now) {
    replaceSpec(spec)
    occur([.reload], for: spec, at: now)
  }

  private mutating func rearm(_ spec: JobSpec, at now: Now) {
    let name = spec.name
    guard let job = jobs[name] else { return }
    let due = jobs[name]?.cursor.takeDue(of: job.spec.timing, for: name, at: now)
    follow(from: job.spec, to: spec)
    replaceSpec(spec)
    if let due {
      if let rest = job.rest {
        for series in due.all { decide(name, series, .skipped(rest), at: now) }
      } else if let due = withoutExcluded(due, of: job.spec, at: now) {
        serveOrDisplace(due, of: spec, at: now)
      }
    }
    jobs[name]?.cursor.skip(
      to: now, from: job.spec.timing.schedule, to: spec.timing.schedule)
    // While one is active the end to count from is still to come.
    if activeRuns[name] != nil { jobs[name]?.cursor.runStarted() }
    tellPast(spec.timing.schedule.at, of: name, but: job.spec.timing.schedule.at, at: now)
    beginVersion(of: name, at: now)
    if let rest = jobs[name]?.rest { giveUpLate(of: name, as: .skipped(rest), at: now) }
    if !spec.timing.isEnabled { suspendWaiting(of: name, at: now) }
    restIfIdle(name, at: now)
    occur([.reload], for: spec, at: now)
    arm(name, at: now)
  }

  /// Slots of a job that is disabled now will not run, although they came before.
  mutating func suspendWaiting(of name: JobName, at now: Now) {
    for id in activeRuns[name] ?? [] {
      guard let slot = runs[id]?.undecidedSlot else { continue }
      decide(name, SlotSeries(slot.nominal), .skipped(.suspended), at: now)
      step(id, at: now) { $0.stop(.byOperator, at: now.monotonic) }
    }
  }

  /// A slot that was due under the old schedule is served if the new leeway still allows it.
  private mutating func serveOrDisplace(
    _ due: ScheduleCursor.Due, of spec: JobSpec, at now: Now
  ) {
    for series in due.passed {
      decide(spec.name, series, .coalesced(into: due.newest.nominal), at: now)
    }
    // Its own offset stays, the leeway is the new one.
    var bare = due.newest
    bare.deadline = bare.deadline - bare.offset
    let window =
      jobs[spec.name]?.cursor.place(bare, in: spec.timing, for: spec.name, at: now).window ?? .zero
    if !spec.timing.isEnabled || due.newest.deadline + window < now.monotonic {
      decide(spec.name, SlotSeries(due.newest.nominal), .cancelled(.displaced), at: now)
    } else if due.newest.deadline > now.monotonic {
      putOff(due.newest, of: spec.name, until: due.newest.deadline)
    } else {
      serve(due.newest, of: spec, at: now)
    }
  }

  private mutating func remove(_ name: JobName, at now: Now) {
    guard let job = jobs[name] else { return }
    decideDue(name, as: job.isHeld ? nil : .cancelled(.removed), at: now)
    giveUpLate(of: name, as: .cancelled(.removed), at: now)
    endVersion(of: name, at: now)
    remember(name)
    follow(from: job.spec, to: nil)
    jobs[name] = nil
    effects.append(.disarm(.job(name)))
    for id in activeRuns[name] ?? [] {
      guard let run = runs[id] else { continue }
      if let slot = run.undecidedSlot {
        decide(name, SlotSeries(slot.nominal), .cancelled(.removed), at: now)
      }
      // A removed job starts no further attempt.
      if run.machine.isInProgress, job.spec.removal == .drain {
        step(id, at: now) { $0.allowNoRetry() }
      } else {
        step(id, at: now) { $0.stop(.removed, at: now.monotonic) }
      }
    }
  }

  /// Queued runs of the job have not started: they will, under the new spec.
  private mutating func replaceSpec(_ spec: JobSpec) {
    jobs[spec.name]?.spec = spec
    for id in activeRuns[spec.name] ?? [] {
      guard var run = runs[id], !run.machine.isInProgress, !run.isClaiming else { continue }
      run.adopt(spec)
      runs[id] = run
      if run.machine.state == .queued { queue.add(run.ticket) }
    }
  }

  /// Moments of takt's own life have come: one slot, whichever of them the job waits for.
  mutating func occur(_ occasions: Set<Occasion>, for spec: JobSpec, at now: Now) {
    var causes: SlotCauses = []
    for occasion in occasions.intersection(spec.timing.schedule.on) {
      switch occasion {
      case .start: causes.insert(.start)
      case .boot: causes.insert(.boot)
      case .reload: causes.insert(.reload)
      }
    }
    if !causes.isEmpty { occur(causes, for: spec.name, at: now) }
  }

  /// Instants that were past when takt first heard of the job.
  private mutating func missPast(_ instants: [WallInstant], of name: JobName, at now: Now) {
    for instant in Self.past(instants, at: now) {
      decide(name, SlotSeries(instant), .missed(.down), at: now, causes: [.at])
    }
  }

  /// Past instants that a reload gives a job that was there before: they were never slots, or have
  /// been decided under an older schedule.
  mutating func tellPast(
    _ instants: [WallInstant], of name: JobName, but known: [WallInstant], at now: Now
  ) {
    for instant in Self.past(instants, at: now) where !known.contains(instant) {
      log(
        .warning, .reload, at: now,
        [
          LogField(.job, .text(name.text)), LogField(.slot, .instant(instant)),
          LogField(.message, .text("'at' \(instant.rfc3339()) is past: no slot comes of it")),
        ])
    }
  }

  private static func past(_ instants: [WallInstant], at now: Now) -> [WallInstant] {
    instants.filter { $0.milliseconds <= now.wall.milliseconds }
  }

  private mutating func remember(_ name: JobName) {
    guard let job = jobs[name] else { return }
    remember(
      name,
      JobState.Memory(
        cursor: job.cursor, at: job.spec.timing.schedule.at, failureStreak: job.failureStreak,
        ranCount: job.ranCount, suspension: job.suspension, number: 0))
  }

  mutating func remember(_ name: JobName, _ memory: JobState.Memory) {
    let number = (memoryOrder.last?.number ?? 0) + 1
    memories[name] = memory
    memories[name]?.number = number
    memoryOrder.append((name, number))
    // A job that came back, or was removed once more, has left its old entry behind.
    while memories.count > Self.memoriesMax || memoryOrder.count > 2 * Self.memoriesMax,
      let oldest = memoryOrder.popFirst()
    {
      if memories[oldest.name]?.number == oldest.number { memories[oldest.name] = nil }
    }
  }

  private mutating func logStep(_ step: ReloadPlan.Step, at now: Now) {
    func record(_ fields: [LogField], _ core: inout SchedulerCore) {
      core.log(
        .notice, .plan, at: now,
        [
          LogField(.job, .text(step.spec.name.text)),
          LogField(.change, .text(step.change.rawValue)),
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
