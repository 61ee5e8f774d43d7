import TaktTime

/// Freshness: tracks if a run of each job has succeeded as recently as `expect_success_within`
/// requires.
extension SchedulerCore {
  /// The reason for a check of a job's freshness.
  enum FreshnessCause {
    /// takt was not running: a job that would have become stale meanwhile gets one more chance.
    case absence
    /// The job was suspended or disabled: the time counts from now.
    case resumed
    /// The file, or the clock, has changed a little.
    case changed
  }

  /// A clock that was set by less was corrected, and does not mean an absence.
  static let absenceMin = Duration.seconds(60)

  mutating func watchFreshness(of id: JobID, _ cause: FreshnessCause, at now: Now) {
    guard let limit = jobs[id].spec.freshFor else { return forgetFreshness(of: id) }
    guard phase == .running, !jobs[id].isHeld else { return endFreshnessTimer(of: id) }
    var freshness = jobs[id].alarms?.freshness ?? Freshness(since: now.wall.kept)
    if freshness.staleSince == nil {
      // The clock was put back.
      freshness.since = min(freshness.since, now.wall.kept)
      freshness.countsFrom = freshness.countsFrom.map { min($0, now.wall.kept) }
      let isOver = freshness.deadline(limit) <= now.wall
      let isAbsence = cause == .absence && isOver && !freshness.isLastChance
      if cause == .resumed || isAbsence {
        freshness.countsFrom = now.wall.kept
        freshness.isLastChance = isAbsence
      }
    } else if freshness.deadline(limit) > now.wall {
      freshness.staleSince = nil
      forgetStaleCalls(of: id)
      logFreshness("no longer stale: 'expect_success_within' is longer now", .notice, id, at: now)
    }
    set(freshness, of: id)
    if freshness.staleSince != nil, cause == .absence {
      // The previous daemon may have ended before the alarm was out.
      callStale(id, freshness, isReminder: true, at: now)
    }
    settleFreshness(of: id, freshness, limit, at: now)
  }

  /// The wall clock was set, or the machine has slept.
  mutating func stepFreshness(by step: Duration, at now: Now) {
    let cause: FreshnessCause =
      abs(step.milliseconds) < Self.absenceMin.milliseconds ? .changed : .absence
    for id in jobs.sortedByName(Array(freshnessTokens.keys)) where jobs.isPresent(id) {
      watchFreshness(of: id, cause, at: now)
    }
  }

  mutating func freshnessFired(_ id: JobID, token: UInt64, at now: Now) {
    guard phase == .running, freshnessTokens[id] == token, jobs.isPresent(id) else { return }
    guard !jobs[id].isHeld, let limit = jobs[id].spec.freshFor,
      let freshness = jobs[id].alarms?.freshness
    else { return endFreshnessTimer(of: id) }
    if freshness.staleSince != nil {
      callStale(id, freshness, isReminder: true, at: now)
    }
    settleFreshness(of: id, freshness, limit, at: now)
  }

  private mutating func settleFreshness(
    of id: JobID, _ freshness: Freshness, _ limit: Duration, at now: Now
  ) {
    if freshness.staleSince != nil { return armReminder(of: id, at: now) }
    let deadline = freshness.deadline(limit)
    if deadline <= now.wall { return becomeStale(id, freshness, at: now) }
    armFreshness(of: id, for: deadline, at: now)
  }

  private mutating func becomeStale(_ id: JobID, _ freshness: Freshness, at now: Now) {
    var stale = freshness
    (stale.staleSince, stale.countsFrom, stale.isLastChance) = (now.wall.kept, nil, false)
    set(stale, of: id)
    let limit = jobs[id].spec.freshFor ?? .zero
    logFreshness(
      "stale: no run has succeeded for \(DurationText.brief(now.wall - freshness.since)); "
        + "expect_success_within is \(DurationText.brief(limit))", .warning, id, at: now)
    callStale(id, stale, isReminder: false, at: now)
    armReminder(of: id, at: now)
  }

  private mutating func callStale(
    _ id: JobID, _ freshness: Freshness, isReminder: Bool, at now: Now
  ) {
    let caller = HookCaller(
      run: RunID(0), job: id, spec: jobs[id].spec,
      slot: now.wall.kept, attempts: 0,
      startedAt: now.monotonic - (now.wall - freshness.since), lateness: .zero,
      output: KeptOutput(), use: nil)
    call(
      HookOccasion(kind: .onStale, streak: failureStreak(of: id), isReminder: isReminder),
      for: caller, at: now)
  }

  // MARK: Runs

  /// A run has succeeded. Returns true if the job was stale.
  mutating func noteSuccess(of id: JobID, at now: Now) -> Bool {
    guard let before = freshness(of: id), let limit = jobs[id].spec.freshFor else {
      return false
    }
    let freshness = Freshness(since: now.wall.kept)
    forgetStaleCalls(of: id)
    set(freshness, of: id)
    if before.staleSince != nil {
      logFreshness("no longer stale: a run has succeeded", .notice, id, at: now)
    }
    if phase == .running, !jobs[id].isHeld {
      settleFreshness(of: id, freshness, limit, at: now)
    }
    return before.staleSince != nil
  }

  /// A run has failed: if it was the job's chance after an absence, that is used up.
  mutating func noteFailure(of id: JobID, at now: Now) {
    guard let freshness = freshness(of: id), freshness.staleSince == nil,
      freshness.isLastChance, let limit = jobs[id].spec.freshFor,
      freshness.since + limit <= now.wall, phase == .running
    else { return }
    becomeStale(id, freshness, at: now)
  }

  /// Another machine runs a slot of the job, and watches the result, unless runs have failed here.
  mutating func noteElsewhere(_ id: JobID, at now: Now) {
    guard var freshness = freshness(of: id), failureStreak(of: id) == 0,
      let limit = jobs[id].spec.freshFor, phase == .running, !jobs[id].isHeld
    else { return }
    if freshness.staleSince != nil {
      forgetStaleCalls(of: id)
      logFreshness("no longer stale: another machine runs the job", .notice, id, at: now)
    }
    freshness = Freshness(since: freshness.since, countsFrom: now.wall.kept)
    set(freshness, of: id)
    settleFreshness(of: id, freshness, limit, at: now)
  }

  // MARK: What is kept of it

  private mutating func freshness(of id: JobID) -> Freshness? {
    guard hasAlarms(id) else { return nil }
    return jobs[id].alarms?.freshness
  }

  private mutating func set(_ freshness: Freshness, of id: JobID) {
    var alarms = jobs[id].alarms ?? JobAlarms()
    if alarms.freshness == freshness { return }
    alarms.freshness = freshness
    jobs[id].alarms = alarms
    markDirty(id)
  }

  /// The next staleness alarms again, however soon.
  private mutating func forgetStaleCalls(of id: JobID) {
    for place in Array((jobs[id].alarms?.calls ?? [:]).keys) where place.hook == .onStale {
      jobs[id].alarms?.calls[place] = nil
    }
  }

  private mutating func forgetFreshness(of id: JobID) {
    endFreshnessTimer(of: id)
    guard jobs[id].alarms?.freshness != nil else { return }
    jobs[id].alarms?.freshness = nil
    markDirty(id)
  }

  // MARK: Its timer

  private mutating func armFreshness(of id: JobID, for instant: WallInstant, at now: Now) {
    let token = nextToken()
    freshnessTokens[id] = token
    effects.append(
      .arm(
        .freshness(id), deadline: now.monotonic + (instant - now.wall), due: instant,
        leeway: .zero, token: token))
  }

  /// Arms the timer for the first action of `on_stale` that is to be repeated.
  private mutating func armReminder(of id: JobID, at now: Now) {
    let steps = jobs[id].spec.hooks[.onStale] ?? []
    let alarms = jobs[id].alarms
    let next = steps.compactMap { step -> WallInstant? in
      guard let interval = step.rule.interval else { return nil }
      let last = alarms?.call(step.place(in: .onStale))?.at ?? now.wall
      return last + interval > now.wall ? last + interval : now.wall + interval
    }
    guard let next = next.min() else { return endFreshnessTimer(of: id) }
    armFreshness(of: id, for: next, at: now)
  }

  mutating func endFreshnessTimer(of id: JobID) {
    if freshnessTokens.isEmpty { return }
    if freshnessTokens.removeValue(forKey: id) != nil { effects.append(.disarm(.freshness(id))) }
  }

  private mutating func logFreshness(
    _ message: String, _ level: LogLevel, _ id: JobID, at now: Now
  ) {
    log(
      level, .scheduler, at: now,
      [LogField(.job, .text(jobs.name(of: id).text)), LogField(.message, .text(message))])
  }
}
