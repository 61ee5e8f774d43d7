import TaktTime

extension SchedulerCore {
  /// Arms the job's timer for the next slot, or leaves it unarmed if there is none.
  mutating func arm(_ id: JobID, at now: Now) {
    guard phase == .running else { return }
    endPause(of: id)
    if drain != nil || jobs[id].isHeld { return holdTimer(of: id, at: now) }
    guard let awaited = awaited(of: id, at: now) else {
      jobs[id].clearAwaited()
      return holdTimer(of: id, as: jobs[id].mayHaveSlots ? .unarmed : .over)
    }
    jobs[id].timer = .runs
    arm(awaited, of: id, at: now)
  }

  private mutating func arm(_ awaited: JobState.Awaited, of id: JobID, at now: Now) {
    let token = nextToken()
    jobs[id].await(awaited, token: token)
    effects.append(
      .arm(
        awaited.timer(of: id), deadline: awaited.deadline, due: awaited.due(at: now),
        leeway: awaited.window, token: token))
  }

  /// The timer of a job whose slots pass without a run; a timer of its own waits for a pause's end.
  private mutating func holdTimer(of id: JobID, at now: Now) {
    jobs[id].clearAwaited()
    guard jobs[id].holdReason != .limit else { return holdTimer(of: id, as: .over) }
    if hasTimer(id, at: now) { holdTimer(of: id, as: .suspended) }
    guard let until = jobs[id].suspension?.until else { return }
    arm(.suspensionEnd(until, deadline: now.monotonic + (until - now.wall)), of: id, at: now)
  }

  /// True if a job has a timer that is not over, or would have one if it were not held.
  private mutating func hasTimer(_ id: JobID, at now: Now) -> Bool {
    switch jobs[id].timer {
    case nil where !jobs[id].spec.timing.schedule.isTimed: false
    case nil, .held(.over): jobs[id].mayHaveSlots || jobs[id].next(at: now) != nil
    case .runs, .held: true
    }
  }

  private mutating func holdTimer(of id: JobID, as rest: TimerHoldReason) {
    switch (jobs[id].timer, rest) {
    case (.held(rest), _), (nil, .unarmed), (nil, .over): return
    default: break
    }
    jobs[id].timer = .held(rest)
    effects.append(.holdTimer(id, rest))
  }

  /// The end of the job's suspension is no longer waited for.
  mutating func endPause(of id: JobID) {
    if case .suspensionEnd = jobs[id].awaited { effects.append(.disarm(.pause(id))) }
  }

  private mutating func awaited(of id: JobID, at now: Now) -> JobState.Awaited? {
    let next = jobs[id].next(at: now)
    guard let late = jobs[id].late.first, let startsAt = late.startsAt, mayRunLate(id),
      startsAt < next?.deadline ?? .distantFuture
    else { return next.map { .slot($0) } }
    return .lateSlot(late.slot.nominal, startsAt: startsAt)
  }

  /// A job's timer, or that of its pause, has fired; a delivery that a later arming has overtaken is dropped.
  mutating func jobFired(_ id: JobID, token: UInt64, at now: Now) {
    guard phase == .running, jobs.isPresent(id), jobs[id].isAwaiting(token) else { return }
    endPause(of: id)
    jobs[id].clearAwaited()
    // Rare states are handled separately.
    if jobs[id].isSuspended || !jobs[id].late.isEmpty {
      endSuspension(ifOver: id, at: now)
      if !jobs[id].isHeld, drain == nil { serveLate(id, at: now) }
    }
    if drain == nil, !jobs[id].isHeld, let due = jobs[id].popDue(at: now) {
      serve(due, of: id, at: now)
    }
    startDelayIfIdle(id, at: now)
    arm(id, at: now)
  }

  /// Starts a fixed delay again if no run is expected that it could count from.
  mutating func startDelayIfIdle(_ id: JobID, at now: Now) {
    guard jobs.isPresent(id), jobs[id].isFixedDelay, !jobs[id].isDelaying,
      jobs[id].late.isEmpty, !runs.hasActive(id), checks.isEmpty || checks[id] == nil
    else { return }
    startDelay(of: id, at: now)
  }

  /// No run of the job is active on this machine: a fixed delay starts.
  mutating func startDelay(of id: JobID, at now: Now) {
    markDirty(id)
    if placement?.takesDelay(of: id, in: &self, at: now) != true { jobs[id].startDelay(at: now) }
  }

  /// Serves the due slots: the newest, if its time is not over, and passed ones by the job's
  /// policy.
  private mutating func serve(_ due: ScheduleCursor.Due, of id: JobID, at now: Now) {
    if jobs[id].spec.timing.schedule.excludesNothing { return serveFound(due, of: id, at: now) }
    if let due = withoutExcluded(due, of: id, at: now) { serveFound(due, of: id, at: now) }
  }

  private mutating func serveFound(_ due: ScheduleCursor.Due, of id: JobID, at now: Now) {
    if placement?.takes(due, of: id, in: &self, at: now) == true { return }
    let isOver = due.newest.latestStart + jobs[id].spec.lateTolerance < now.monotonic
    if isOver || !due.passed.isEmpty {
      let choice = jobs[id].spec.missed.choice
      if isOver || choice == .all {
        clocks.noticeJump(.asleep, at: now)
        settle(due.all, of: id, by: jobs[id].spec.timing.schedule, nil, at: now)
        return giveTurns(to: [id], at: now)
      }
      passOver(due.passed, of: id, for: due.newest, at: now)
    }
    coalesceLate(of: id, into: due.newest, at: now)
    if due.newest.deadline > now.monotonic {
      putOff(due.newest, of: id, until: due.newest.deadline)
    } else {
      serve(due.newest, of: id, at: now)
    }
  }

  /// Makes a run for a due slot, or records why there is none.
  mutating func serve(_ slot: Slot, of id: JobID, at now: Now) {
    if runs.hasActive(id) {
      for run in runs.active(of: id).all { step(run, at: now) { $0.nextSlotDue() } }
    }
    if let reason = refusal(of: id) {
      decide(id, SlotSeries(slot.nominal), .skipped(reason), at: now, causes: slot.causes)
      return
    }
    if jobs[id].spec.hasCondition, let condition = jobs[id].spec.policies.onlyIf?.value {
      return check(slot, of: id, condition, at: now)
    }
    start(slot, of: id, at: now)
  }

  /// Makes a run for a slot whose condition holds, or records why there is none.
  mutating func serveNow(_ slot: Slot, of id: JobID, at now: Now) {
    if let reason = jobs[id].holdReason ?? refusal(of: id) {
      return decide(id, SlotSeries(slot.nominal), .skipped(reason), at: now, causes: slot.causes)
    }
    start(slot, of: id, at: now)
  }

  @inline(__always) private mutating func start(_ slot: Slot, of id: JobID, at now: Now) {
    if placement?.takes(slot, of: id, in: &self, at: now) == true { return }
    replaceRuns(of: id, as: .coalesced(into: slot.nominal), at: now)
    queueRun(.slot(slot), of: id, jobs[id].spec, at: now)
  }

  /// The reason why a slot gets no run; nil when it gets one.
  private mutating func refusal(of id: JobID) -> SkipReason? {
    if !settings.skippingGroups.isEmpty, let group = jobs[id].spec.concurrencyGroup,
      settings.skippingGroups.contains(group), runs.isTaken(group)
    {
      return .groupFull
    }
    if !runs.hasActive(id), jobs[id].spec.timing.schedule.limit == nil { return nil }
    let active = runs.active(of: id)
    if let limit = jobs[id].spec.timing.schedule.limit {
      // Those that wait for a place are going to run.
      let waiting = active.all.count { runs[$0].undecidedSlot != nil }
      if jobs[id].ranCount + waiting >= limit { return .limit }
    }
    let overlap = jobs[id].spec.overlap
    if overlap.mayRefuse {
      for run in active.all where !runs[run].isBackfill {
        if overlap.fate(meeting: other(run)) >= .refused { return .overlap }
      }
    }
    guard overlap.hasSeveral else { return nil }
    let max = overlap.waits ? 1 : settings.maxRunning
    return active.count >= max + Self.waitingRunsPerJobMax ? .queueFull : nil
  }

  /// A run as a slot of its job meets it. Here the slot that is served last counts as the newest.
  mutating func other(_ run: RunID) -> Overlap.Other {
    Overlap.Other(runs[run].undecidedSlot == nil ? .active : .queued)
  }

  /// A new run takes the place of others, as far as the job's overlap says so. Those that have
  /// started are stopped.
  ///
  /// - Parameter verdict: for the slots of those that have not.
  mutating func replaceRuns(
    of id: JobID, as verdict: Verdict, isByHand: Bool = false, at now: Now
  ) {
    guard runs.hasActive(id) else { return }
    let overlap = jobs[id].spec.overlap
    guard overlap.mayReplace else { return }
    for run in runs.active(of: id).all
    where runs.contains(run) && (isByHand || !runs[run].isBackfill) {
      guard overlap.replaces(other(run)) else { continue }
      if let slot = runs[run].undecidedSlot {
        decide(id, SlotSeries(slot.nominal), verdict, at: now)
      }
      step(run, at: now) { $0.stop(.replaced, at: now.monotonic) }
    }
  }

  /// Decides all due slots of a job alike; nil for a job that is held, whose slots were skipped.
  mutating func decideDue(_ id: JobID, as verdict: Verdict?, at now: Now) {
    guard let due = jobs[id].popDue(at: now) else { return }
    for series in due.all {
      decide(id, series, verdict ?? .skipped(jobs[id].holdReason ?? .suspended), at: now)
    }
  }

  // MARK: Verdicts

  /// Decides slots of a job: records and logs the verdict.
  ///
  /// - Parameter isAnswered: the placement has decided so, or need not be asked.
  mutating func decide(
    _ id: JobID, _ slots: SlotSeries, _ verdict: Verdict, at now: Now, causes: SlotCauses = [],
    isAnswered: Bool = false
  ) {
    if let placement,
      !placement.mayDecide(id, slots, verdict, isAnswered: isAnswered, in: &self, at: now)
    {
      return
    }
    record(
      VerdictRecord(job: jobs.name(of: id), slots: slots, verdict: verdict, at: now.wall),
      causes: causes)
    markDirty(id)
  }

  /// Decides a slot by its run, which may be the last that the job may have.
  ///
  /// - Parameter start: its due time, and the delay of its start.
  mutating func decideRan(
    _ id: JobID, _ verdict: VerdictRecord, causes: SlotCauses = [],
    start: (due: WallInstant, lateness: Duration)? = nil, at now: Now
  ) {
    effects.append(.record(.verdict(verdict)))
    placement?.note(.ran(id, verdict.slots), in: &self, at: now)
    // Delayed slots would wait for a turn that does not come.
    if jobs.isPresent(id), jobs[id].countRan(verdict.slots.count) {
      giveUpLate(of: id, as: .skipped(.limit), at: now)
    }
    markDirty(id)
    log(verdict, causes: causes, start: start)
  }

  mutating func record(_ verdict: VerdictRecord, causes: SlotCauses = []) {
    effects.append(.record(.verdict(verdict)))
    log(verdict, causes: causes, start: nil)
  }

  private mutating func log(
    _ verdict: VerdictRecord, causes: SlotCauses, start: (due: WallInstant, lateness: Duration)?
  ) {
    if isQuiet { return }
    effects.append(
      .log(
        LogRecord(
          at: verdict.at, verdict.verdict.level, .slot,
          content: .slot(SlotRecord(verdict, causes: causes, start: start)))))
  }
}

/// Jobs that wait for the ends of other jobs' runs, or for those of several others. Those ends
/// outlive takt.
extension SchedulerCore {
  /// Adds a job's triggers to the table, or removes them.
  mutating func follow(_ id: JobID, from old: JobSpec?, to new: JobSpec?) {
    let before = old?.timing.schedule.parents ?? []
    let wanted = new?.timing.schedule.parents ?? []
    for parent in before.subtracting(wanted) {
      if let parent = jobs.unfollow(parent, id) { removeIfEnded(parent) }
    }
    for parent in wanted.subtracting(before) { jobs.follow(parent, id) }
  }

  /// A run of a job has ended finally: jobs that wait for that are due. Their slots' verdicts are
  /// recorded with the end itself.
  mutating func callFollowers(of parent: JobID, _ end: RunEnd, at now: Now) {
    for id in jobs.followers(of: parent) where jobs.isPresent(id) {
      let name = jobs.name(of: parent)
      let triggers = jobs[id].spec.timing.schedule.after
      let isWhole = gather(end, of: name, for: id, at: now)
      if isWhole || triggers.contains(where: { $0.job == name && $0.isMet(by: end) }) {
        occur([.after], for: id, at: now)
      }
    }
  }

  // MARK: Several ends

  /// Takes the end of a parent's run. Returns true if all that the job waits for have ended as
  /// required; the next time counts from here.
  mutating func gather(_ end: RunEnd, of parent: JobName, for id: JobID, at now: Now) -> Bool {
    guard let all = jobs[id].spec.timing.schedule.afterAll,
      all.parents.contains(where: { $0.job == parent && $0.isMet(by: end) })
    else { return false }
    var alarms = jobs[id].alarms ?? JobAlarms()
    alarms.ended[parent] = now.wall.kept
    let isWhole = all.missing(in: alarms.ended, at: now.wall).isEmpty
    if isWhole { alarms.ended = [:] }
    jobs[id].alarms = alarms
    markDirty(id)
    return isWhole
  }

  /// Forgets ends that the job no longer waits for, or not in this way.
  mutating func keepEnds(of id: JobID, from old: Schedule?, to new: Schedule) {
    guard var alarms = jobs[id].alarms, !alarms.ended.isEmpty else { return }
    let kept = Set(old?.afterAll?.parents ?? []).intersection(new.afterAll?.parents ?? [])
    alarms.ended = alarms.ended.filter { ended in kept.contains { $0.job == ended.key } }
    jobs[id].alarms = alarms
    markDirty(id)
  }
}
