import TaktTime

/// Hooks: runs that follow from what other runs have come to.
extension SchedulerCore {
  /// How many hooks of one job may wait or be in progress; one beyond is dropped, and the log says
  /// so.
  package static let hooksPerJobMax = 64
  /// How long an attempt of a hook may take.
  package static let hookTimeout = Duration.seconds(60)

  /// What a run's end means for its job, and for those who want to hear of it.
  ///
  /// - Parameter run: the run, if its job has hooks.
  mutating func countFailure(of id: JobID, _ end: RunEnd, hooks run: HookCaller?, at now: Now) {
    let streak = failureStreak(of: id)
    switch end.outcome {
    case .succeeded:
      if streak > 0 {
        setFailureStreak(of: id, 0)
        if let run { queueHook(.onRecover, for: run, end, streak: streak, at: now) }
      }
      if let run { queueHook(.onSuccess, for: run, end, streak: 0, at: now) }
    case .failed, .timedOut:
      setFailureStreak(of: id, streak + 1)
      if let run { queueHook(.onFailure, for: run, end, streak: streak + 1, at: now) }
    case .cancelled, .interrupted:
      break
    }
  }

  /// Of a job that a reload has removed it is not counted.
  private mutating func failureStreak(of id: JobID) -> Int {
    jobs.isPresent(id) ? jobs[id].failureStreak : 0
  }

  private mutating func setFailureStreak(of id: JobID, _ streak: Int) {
    guard jobs.isPresent(id) else { return }
    jobs[id].failureStreak = streak
    markDirty(id)
  }

  /// Calls a hook for a run that goes on.
  mutating func hook(_ kind: HookKind, for run: RunID, at now: Now) {
    guard !runs[run].isHook, runs[run].spec.hooks[kind] != nil else { return }
    let caller = runs[run].caller
    queueHook(kind, for: caller, nil, streak: failureStreak(of: caller.job), at: now)
  }

  private mutating func queueHook(
    _ kind: HookKind, for run: HookCaller, _ end: RunEnd?, streak: Int, at now: Now
  ) {
    guard let steps = run.spec.hooks[kind], !steps.isEmpty else { return }
    guard phase == .running || phase == .draining,
      runs.ofJob(run.job).hookCount < Self.hooksPerJobMax
    else {
      let why = phase == .stopping ? "takt is stopping" : "too many hooks of the job are waiting"
      log(
        .warning, .run, at: now,
        [
          LogField(.job, .text(run.spec.name.text)), LogField(.hook, .text(kind.rawValue)),
          LogField(.parent, .number(Int64(run.run.number))),
          LogField(.message, .text("hook not run: \(why)")),
        ])
      return
    }
    let facts = RunFacts(
      hook: kind, run: run.run, attempts: run.attempts, end: end,
      duration: now.monotonic - (run.startedAt ?? now.monotonic), lateness: run.lateness,
      failureStreak: streak, output: run.output, use: run.use?.value.run)
    queueRun(
      .hook(run.slot), of: run.job, run.spec.hookSpec(steps), facts: Shared(facts), at: now)
  }
}

extension JobSpec {
  /// The job as its hooks are run: the same surroundings, another action, one attempt, a bound on
  /// its time, and no hooks of its own.
  fileprivate func hookSpec(_ steps: [Step]) -> JobSpec {
    var spec = self
    // A hook that fails does not keep the next from being called.
    spec.action =
      steps.count == 1 ? steps[0].action : .steps(steps.map { Step($0.action, continues: true) })
    spec.hooks = [:]
    spec.expectedDuration = nil
    var execution = spec.execution
    execution.retry = RetryPolicy()
    execution.success = SuccessRule()
    execution.stdin = nil
    execution.output.file = nil
    execution.timeout = SchedulerCore.hookTimeout
    spec.execution = execution
    return spec
  }
}
