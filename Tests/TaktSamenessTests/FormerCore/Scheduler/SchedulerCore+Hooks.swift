import TaktTime

/// Hooks: runs that follow from what other runs have come to.
extension SchedulerCore {
  /// What a run's end means for its job, and for those who want to hear of it.
  mutating func callHooks(after run: ActiveRun, _ end: RunEnd, at now: Now) {
    let streak = jobs[run.spec.name]?.failureStreak ?? 0
    switch end.outcome {
    case .succeeded:
      if streak > 0 {
        jobs[run.spec.name]?.failureStreak = 0
        remark(run.spec.name)
        queueHook(.onRecover, for: run, end, streak: streak, at: now)
      }
      queueHook(.onSuccess, for: run, end, streak: 0, at: now)
    case .failed, .timedOut:
      jobs[run.spec.name]?.failureStreak = streak + 1
      remark(run.spec.name)
      queueHook(.onFailure, for: run, end, streak: streak + 1, at: now)
    case .cancelled, .interrupted:
      break
    }
  }

  /// Calls a hook for a run that goes on.
  mutating func hook(_ kind: HookKind, for run: ActiveRun, at now: Now) {
    guard !run.isHook else { return }
    queueHook(
      kind, for: run, nil, streak: jobs[run.spec.name]?.failureStreak ?? 0, at: now)
  }

  private mutating func queueHook(
    _ kind: HookKind, for run: ActiveRun, _ end: RunEnd?, streak: Int, at now: Now
  ) {
    guard let steps = run.spec.hooks[kind], !steps.isEmpty else { return }
    guard phase == .running || phase == .draining,
      hookCounts[run.spec.name, default: 0] < Self.hooksPerJobMax
    else {
      let why = phase == .stopping ? "takt is stopping" : "too many of the job's hooks wait"
      log(
        .warning, .run, at: now,
        [
          LogField(.job, .text(run.spec.name.text)), LogField(.hook, .text(kind.rawValue)),
          LogField(.parent, .number(Int64(run.id.number))),
          LogField(.message, .text("hook not run: \(why)")),
        ])
      return
    }
    let facts = RunFacts(
      hook: kind, run: run.id, attempts: run.machine.attempt, end: end,
      duration: now.monotonic - (run.startedAt ?? now.monotonic), lateness: run.lateness,
      failureStreak: streak, output: run.totals.output)
    queueRun(.hook(facts, slot: run.nominal), of: run.spec.hookSpec(steps), at: now)
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
    spec.execution.retry = RetryPolicy()
    spec.execution.success = SuccessRule()
    spec.execution.stdin = nil
    spec.execution.output.file = nil
    spec.execution.timeout = SchedulerCore.hookTimeout
    return spec
  }
}
