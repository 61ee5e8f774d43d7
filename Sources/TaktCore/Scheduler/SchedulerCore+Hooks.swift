import TaktTime

/// Hooks: runs that follow from the outcomes of other runs.
extension SchedulerCore {
  /// The most hooks of one job that may wait or be in progress; one beyond is dropped, and logged.
  package static let hooksPerJobMax = 64
  /// The time limit of a hook's attempt.
  package static let hookTimeout = Duration.seconds(60)

  /// The reason for calling a hook.
  struct HookOccasion: Sendable {
    var kind: HookKind
    /// Nil while the run continues.
    var end: RunEnd?
    /// The failed runs of the job in a row, this one included.
    var streak = 0
    /// The failed runs in a row before this success.
    var endedStreak = 0
    /// The run succeeded after a failed one, or has ended a staleness.
    var isRecovery = false
    /// The reason still lasts: only actions that repeat are called again.
    var isReminder = false
    /// For `on_alarm_failed`, the failed hook.
    var failedHook: String?
  }

  /// Counts a run's end for its job, and calls the hooks for it.
  ///
  /// - Parameter run: the run, if its job has hooks.
  mutating func countFailure(of id: JobID, _ end: RunEnd, hooks run: HookCaller?, at now: Now) {
    let streak = failureStreak(of: id)
    switch end.outcome {
    case .succeeded:
      let isRecovery = hasAlarms(id) && noteSuccess(of: id, at: now) || streak > 0
      if streak > 0 { setFailureStreak(of: id, 0) }
      if let run {
        if isRecovery || hasLostRecovery(id) {
          call(
            HookOccasion(
              kind: .onRecover, end: end, streak: streak, endedStreak: streak,
              isRecovery: isRecovery),
            for: run, at: now)
        }
        call(
          HookOccasion(kind: .onSuccess, end: end, isRecovery: isRecovery), for: run, at: now)
      }
      if hasAlarms(id) {
        if streak > 0 { jobs[id].alarms?.endStreak() }
        forgetOldAlarmFailures(of: id, at: now)
      }
    case .failed, .timedOut:
      setFailureStreak(of: id, streak + 1)
      if let run {
        call(HookOccasion(kind: .onFailure, end: end, streak: streak + 1), for: run, at: now)
      }
      noteFailure(of: id, at: now)
    case .cancelled, .interrupted:
      break
    }
  }

  /// Called for each run, and few jobs have any.
  @inline(__always) mutating func hasAlarms(_ id: JobID) -> Bool {
    jobs.isPresent(id) && jobs[id].hasAlarms
  }

  /// True if the end of takt has cut off `on_recover`: the next success calls it.
  private mutating func hasLostRecovery(_ id: JobID) -> Bool {
    guard hasAlarms(id), let alarms = jobs[id].alarms else { return false }
    return alarms.calls.contains { $0.key.hook == .onRecover && $0.value.progress == .lost }
  }

  /// Zero for a job that a reload has removed.
  mutating func failureStreak(of id: JobID) -> Int {
    jobs.isPresent(id) ? jobs[id].failureStreak : 0
  }

  private mutating func setFailureStreak(of id: JobID, _ streak: Int) {
    guard jobs.isPresent(id) else { return }
    jobs[id].failureStreak = streak
    markDirty(id)
  }

  mutating func hook(_ kind: HookKind, for run: RunID, at now: Now) {
    guard !runs[run].isHook, runs[run].spec.calls(kind), !runs[run].isBackfill else { return }
    let caller = runs[run].caller
    call(HookOccasion(kind: kind, streak: failureStreak(of: caller.job)), for: caller, at: now)
  }

  /// Calls a hook, once that of the run's start has ended: the end must not be reported first.
  /// Pings are a separate hook, so that neither waits for the other.
  mutating func call(_ occasion: HookOccasion, for run: HookCaller, at now: Now) {
    guard run.spec.calls(occasion.kind) else { return }
    for isPing in [false, true] where !run.spec.actions(of: occasion.kind, isPing).isEmpty {
      let start = RunStart(run: run.run, isPing: isPing)
      if startHooks[start] != nil {
        startHooks[start]?.waiting.append((occasion, run))
      } else {
        queueHook(occasion, isPing: isPing, for: run, at: now)
      }
    }
  }

  /// The hook of a run's start has ended: the hooks that waited for it follow.
  mutating func startHookEnded(_ start: RunStart, at now: Now) {
    for (occasion, caller) in startHooks.removeValue(forKey: start)?.waiting ?? [] {
      queueHook(occasion, isPing: start.isPing, for: caller, at: now)
    }
  }

  private mutating func queueHook(
    _ occasion: HookOccasion, isPing: Bool, for run: HookCaller, at now: Now
  ) {
    let steps = run.spec.actions(of: occasion.kind, isPing)
    var due: [Int] = []
    for index in steps.indices where isDue(steps[index], occasion, run, at: now) {
      due.append(index)
    }
    if due.isEmpty { return }
    guard phase == .running || phase == .draining,
      runs.ofJob(run.job).hookCount < Self.hooksPerJobMax
    else {
      let why = phase == .stopping ? "takt is stopping" : "too many hooks of the job are waiting"
      var fields = [
        LogField(.job, .text(run.spec.name.text)),
        LogField(.hook, .text(occasion.kind.rawValue)),
      ]
      if run.run.number > 0 { fields.append(LogField(.parent, .number(Int64(run.run.number)))) }
      if occasion.isRecovery {
        remember(due.map { steps[$0] }, occasion.kind, of: run.job, .lost, at: now)
      }
      if phase != .stopping {
        // There is no run of the hook to view.
        noteAlarmFailure(
          AlarmFailure.name(occasion.kind, isPing: isPing), of: run.job,
          AlarmFailure(at: now.wall.kept, run: RunID(0), words: "not run: \(why)"))
      }
      return log(
        .warning, .run, at: now, fields + [LogField(.message, .text("hook not run: \(why)"))])
    }
    var facts = RunFacts(
      hook: occasion.kind, run: run.run, attempts: run.attempts, end: occasion.end,
      duration: now.monotonic - (run.startedAt ?? now.monotonic), lateness: run.lateness,
      failureStreak: occasion.kind == .onSuccess ? 0 : occasion.streak, output: run.output,
      use: run.use?.value.run)
    facts.isPing = isPing
    facts.failedHook = occasion.failedHook
    if occasion.kind == .onStart {
      startHooks[RunStart(run: run.run, isPing: isPing)] = StartHook()
    }
    remember(
      due.map { steps[$0] }, occasion.kind, of: run.job, .waiting(for: runs.next), at: now)
    queueRun(
      .hook(run.slot), of: run.job,
      run.spec.hookSpec(due.map { steps[$0] }, timeout: Self.hookTimeout),
      facts: Shared(facts), at: now)
  }

  /// Remembers the calls of actions, as far as their next call depends on it.
  private mutating func remember(
    _ steps: [Step], _ hook: HookKind, of id: JobID, _ progress: JobAlarms.Progress, at now: Now
  ) {
    let steps = steps.filter { $0.rule.needsMemory || hook == .onStale || hook == .onRecover }
    guard !steps.isEmpty, jobs.isPresent(id) else { return }
    var alarms = jobs[id].alarms ?? JobAlarms()
    for step in steps {
      alarms.calls[step.place(in: hook)] = JobAlarms.Call(
        at: now.wall.kept, isOfStreak: true, progress: progress)
    }
    // Those of actions that are no longer in the file.
    let hooks = jobs[id].spec.hooks
    if alarms.calls.count > hooks.values.reduce(0, { $0 + $1.count }) {
      let places = Set(hooks.flatMap { hook, steps in steps.map { $0.place(in: hook) } })
      alarms.calls = alarms.calls.filter { places.contains($0.key) }
    }
    jobs[id].alarms = alarms
    markDirty(id)
  }

  /// A hook has ended: one that takt's own end has cut off does not count as called.
  mutating func hookEnded(_ run: RunID, of id: JobID, _ end: RunEnd) {
    guard hasAlarms(id), var alarms = jobs[id].alarms else { return }
    let isLost = end.outcome == .interrupted || end.reason == .shutdown
    guard alarms.hookEnded(run, isLost: isLost) else { return }
    jobs[id].alarms = alarms
    markDirty(id)
  }

  /// True if an action of a hook is called on this occasion.
  private mutating func isDue(
    _ step: Step, _ occasion: HookOccasion, _ run: HookCaller, at now: Now
  ) -> Bool {
    let rule = step.rule
    let call: JobAlarms.Call? =
      if rule.needsMemory || occasion.isReminder || occasion.kind == .onRecover,
        jobs.isPresent(run.job),
        let alarms = jobs[run.job].alarms
      { alarms.calls[step.place(in: occasion.kind)] } else { nil }
    let isLost = call?.progress == .lost
    let last = isLost ? nil : call
    // A clock that was put back since is no reason to stay silent for longer.
    let hasRested =
      last.map { last in
        rule.interval.map { now.wall - last.at >= $0 || now.wall < last.at } ?? true
      } ?? true
    if occasion.isReminder { return isLost || rule.interval != nil && hasRested }
    // A recovery is reported once, even if the job has failed since.
    if isLost, occasion.kind == .onRecover || rule.when == .recovered { return true }
    if occasion.kind == .onRecover, !occasion.isRecovery { return false }
    switch rule.when {
    case .every: return hasRested
    case .output: return hasRested && !run.output.isEmpty
    case .recovered: return hasRested && occasion.isRecovery
    case .streak(let least):
      // The end of a staleness is news however many runs have failed.
      if occasion.isRecovery {
        return hasRested && (occasion.endedStreak >= least || occasion.endedStreak == 0)
      }
      guard occasion.streak >= least else { return false }
      return last?.isOfStreak != true || rule.interval != nil && hasRested
    }
  }
}

/// The hook of a run's start that has not ended, and the hooks that wait for it.
struct StartHook: Sendable {
  var waiting: [(SchedulerCore.HookOccasion, HookCaller)] = []
}

/// Hooks and pings that fail: a problem of their job, and a reason to call another hook.
extension SchedulerCore {
  /// A hook has ended. A failed one is remembered until one of its name succeeds or reports
  /// something else; one that takt's own end, or a user, has cut off does not count.
  mutating func alarmEnded(
    _ run: RunID, _ alarm: ActiveRun.Alarm, of id: JobID, _ end: RunEnd, at now: Now
  ) {
    guard jobs.isPresent(id) else { return }
    let facts = alarm.facts.value
    let name = AlarmFailure.name(facts.hook, isPing: facts.isPing)
    switch end.outcome {
    case .succeeded:
      guard jobs[id].hasFailedAlarms, var alarms = jobs[id].alarms else { return }
      alarms.failures[name] = nil
      if let failed = facts.failedHook { alarms.failures[failed]?.isReported = true }
      guard alarms != jobs[id].alarms else { return }
      jobs[id].alarms = alarms
      markDirty(id)
    case .failed, .timedOut:
      noteAlarmFailure(name, of: id, AlarmFailure(at: now.wall.kept, run: run, words: end.words))
      if facts.hook != .onAlarmFailed { callAlarmFailed(name, alarm, of: id, end, at: now) }
    case .cancelled, .interrupted: break
    }
  }

  mutating func noteAlarmFailure(_ name: String, of id: JobID, _ failure: AlarmFailure) {
    guard jobs.isPresent(id) else { return }
    var alarms = jobs[id].alarms ?? JobAlarms()
    alarms.failures[name] = failure
    jobs[id].alarms = alarms
    markDirty(id)
  }

  /// A run of the job has succeeded: old failures are no longer news.
  private mutating func forgetOldAlarmFailures(of id: JobID, at now: Now) {
    guard jobs[id].hasFailedAlarms, var alarms = jobs[id].alarms else { return }
    let count = alarms.failures.count
    alarms.failures = alarms.failures.filter { now.wall - $0.value.at < AlarmFailure.keptFor }
    guard alarms.failures.count < count else { return }
    jobs[id].alarms = alarms
    markDirty(id)
  }

  /// Calls the hook for failed hooks. It has no hook of its own, so that this ends here.
  private mutating func callAlarmFailed(
    _ name: String, _ alarm: ActiveRun.Alarm, of id: JobID, _ end: RunEnd, at now: Now
  ) {
    guard jobs[id].spec.calls(.onAlarmFailed) else { return }
    let facts = alarm.facts.value
    let caller = HookCaller(
      run: facts.run, job: id, spec: jobs[id].spec, slot: alarm.slot, attempts: facts.attempts,
      startedAt: alarm.startedAt, lateness: facts.lateness, output: alarm.output, use: nil)
    call(
      HookOccasion(
        kind: .onAlarmFailed, end: end, streak: facts.failureStreak, failedHook: name),
      for: caller, at: now)
  }
}
