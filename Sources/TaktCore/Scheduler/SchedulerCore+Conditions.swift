import TaktTime

/// A slot that waits for its job's condition, and the run that asks.
struct SlotCheck: Sendable {
  var slot: Slot
  var run: RunID
}

/// Conditions: before a slot runs, an action of its own decides about it. The action is a run like
/// a hook's: it has a bound on its time, and takes no place of another run.
extension SchedulerCore {
  /// Starts the check of a slot, which replaces a slot that already waits.
  mutating func check(_ slot: Slot, of id: JobID, _ condition: Condition, at now: Now) {
    effects.append(.record(.pending(jobs.name(of: id), slot.nominal)))
    markDirty(id)
    if let open = checks[id] {
      checks[id]?.slot = slot
      decide(id, SlotSeries(open.slot.nominal), .coalesced(into: slot.nominal), at: now)
      prolong(open.run, until: slot, condition, at: now)
      return
    }
    let facts = RunFacts(
      hook: .onlyIf, run: RunID(0), attempts: 0, end: nil, duration: .zero, lateness: .zero,
      failureStreak: failureStreak(of: id), output: KeptOutput())
    checks[id] = SlotCheck(slot: slot, run: runs.next)
    queueRun(
      .hook(slot.nominal), of: id,
      jobs[id].spec.checkSpec(condition, left: condition.left(of: slot, at: now)),
      facts: Shared(facts), at: now)
  }

  /// The wait is counted from the newest slot.
  private mutating func prolong(
    _ run: RunID, until slot: Slot, _ condition: Condition, at now: Now
  ) {
    guard runs.contains(run), runs[run].expectedToken != 0 else { return }
    let left = condition.left(of: slot, at: now)
    let token = nextToken()
    runs[run].expectedToken = token
    effects.append(
      .arm(
        .expected(run), deadline: now.monotonic + left, due: now.wall + left, leeway: .zero,
        token: token))
  }

  /// A slot has reached its longest wait: the try in progress is the last.
  mutating func waitIsOver(_ run: RunID, at now: Now) {
    step(run, at: now) { $0.allowNoRetry() }
    step(run, at: now) { $0.nextSlotDue() }
  }

  mutating func checkEnded(_ run: RunID, of id: JobID, _ end: RunEnd, at now: Now) {
    guard let check = checks[id], check.run == run else { return }
    checks[id] = nil
    guard jobs.isPresent(id) else { return }
    if end.outcome == .succeeded {
      serveNow(check.slot, of: id, at: now)
    } else {
      decide(id, SlotSeries(check.slot.nominal), .skipped(.condition), at: now)
    }
    // Slots that waited behind it may be due.
    startDelayIfIdle(id, at: now)
    arm(id, at: now)
  }

  /// Decides a slot that waits for its condition, and ends the check.
  mutating func giveUpCheck(of id: JobID, as verdict: Verdict, at now: Now) {
    guard !checks.isEmpty, let check = checks.removeValue(forKey: id) else { return }
    decide(id, SlotSeries(check.slot.nominal), verdict, at: now)
    let cause: StopCause = phase == .running ? .byOperator : .shutdown
    step(check.run, at: now) { $0.stop(cause, at: now.monotonic) }
  }

  /// The condition has changed while a slot waited for it: it is checked again, or served.
  mutating func conditionChanged(of id: JobID, from old: JobSpec, at now: Now) {
    guard !checks.isEmpty, let check = checks[id],
      old.policies.onlyIf != jobs[id].spec.policies.onlyIf
    else { return }
    checks[id] = nil
    step(check.run, at: now) { $0.stop(.byOperator, at: now.monotonic) }
    serve(check.slot, of: id, at: now)
  }
}

extension Condition {
  /// The time that a slot may still wait.
  fileprivate func left(of slot: Slot, at now: Now) -> Duration {
    max(.zero, slot.deadline + (wait ?? .zero) - now.monotonic)
  }
}

/// Slots in times that their job excludes.
extension SchedulerCore {
  /// Skips those among the due slots; nil if no others are left.
  mutating func withoutExcluded(
    _ due: ScheduleCursor.Due, of id: JobID, at now: Now
  ) -> ScheduleCursor.Due? {
    let (timing, cursor) = (jobs[id].spec.timing, jobs[id].cursor)
    let schedule = timing.schedule
    let others = skipExcluded(due.all, of: id, schedule, at: now)
    guard let last = others.max(by: { $0.last < $1.last }) else { return nil }
    let before = cursor.instantSet(of: last, schedule).splitNewest(1, of: last).rest
    var newest = due.newest
    if last.last != newest.nominal {
      let slot = Slot(
        nominal: last.last, causes: cursor.causes(of: last.last, schedule),
        deadline: cursor.deadline(of: last.last, schedule, at: now))
      newest = cursor.place(slot, in: timing, for: jobs.name(of: id), at: now)
    }
    return ScheduleCursor.Due(
      passed: others.filter { $0 != last } + [before].compactMap(\.self), newest: newest,
      all: others)
  }

  /// Skips those among slots that have passed, and returns the others.
  mutating func skipExcluded(
    _ all: [SlotSeries], of id: JobID, _ schedule: Schedule, at now: Now
  ) -> [SlotSeries] {
    guard let excludedTimes = schedule.excludedTimes else { return all }
    let cursor = jobs[id].cursor
    return all.flatMap { series in
      let (excluded, others) = excludedTimes.divide(
        series, of: cursor.instantSet(of: series, schedule))
      for series in excluded { decide(id, series, .skipped(.excluded), at: now) }
      return others
    }
  }
}
