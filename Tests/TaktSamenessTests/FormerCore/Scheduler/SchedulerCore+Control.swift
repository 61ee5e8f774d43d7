package import TaktTime

/// What those see and want who steer takt.
extension SchedulerCore {
  /// Does what somebody wants, and says what became of it and what is to be done.
  package mutating func obey(
    _ command: SchedulerCommand, at now: Now
  ) -> (reply: SchedulerReply, effects: [SchedulerEffect]) {
    let reply = take(command, at: now)
    recordMarks()
    let done = effects
    effects = []
    return (reply, done)
  }

  mutating func take(_ command: SchedulerCommand, at now: Now) -> SchedulerReply {
    switch command {
    case .trigger, .suspend, .resume:
      guard phase == .running else { return .unavailable }
    case .cancelJob, .cancelRun:
      // A run that is cancelled holds no stop.
      guard phase != .starting, phase != .finished else { return .unavailable }
    }
    switch command {
    case .trigger(let name, let slot, let parameters, let isForced):
      guard let job = jobs[name] else { return .unknownJob }
      let active = activeRuns[name] ?? []
      guard active.count < settings.maxRunning + Self.waitingRunsPerJobMax else { return .tooMany }
      if !isForced {
        switch job.spec.overlap {
        case .skip: if let run = active.first { return .overlapping(run) }
        case .queue: if active.count > Self.waitingRunsPerJobMax { return .tooMany }
        case .replace: replaceRuns(of: name, at: now)
        case .allow: break
        }
      }
      queueRun(
        .manual(slot ?? now.wall), of: job.spec, with: parameters, isForced: isForced, at: now)
      return .done(runs: [RunID(lastRun)])
    case .suspend(let name, let until, let reason):
      guard jobs[name] != nil else { return .unknownJob }
      if let until, until <= now.wall { return .past }
      suspend(name, until: until, reason: reason, at: now)
      return .done()
    case .resume(let name):
      guard let job = jobs[name] else { return .unknownJob }
      guard job.suspension != nil else { return .notSuspended }
      resume(name, at: now)
      return .done()
    case .cancelJob(let name):
      guard jobs[name] != nil || activeRuns[name] != nil else { return .unknownJob }
      let ids = activeRuns[name] ?? []
      for id in ids { cancel(id, at: now) }
      return .done(runs: ids)
    case .cancelRun(let id):
      guard runs[id] != nil else { return .unknownRun }
      cancel(id, at: now)
      return .done(runs: [id])
    }
  }

  /// A run by hand comes in place of those that there are: one that has started is stopped, and the
  /// slot of one that has not is cancelled.
  private mutating func replaceRuns(of name: JobName, at now: Now) {
    for id in activeRuns[name] ?? [] {
      if let slot = runs[id]?.undecidedSlot {
        decide(name, SlotSeries(slot.nominal), .cancelled(.byOperator), at: now)
      }
      step(id, at: now) { $0.stop(.replaced, at: now.monotonic) }
    }
  }

  /// A slot whose run has not started is decided by that.
  private mutating func cancel(_ id: RunID, at now: Now) {
    guard let run = runs[id] else { return }
    if let slot = run.undecidedSlot {
      decide(run.spec.name, SlotSeries(slot.nominal), .cancelled(.byOperator), at: now)
    }
    step(id, at: now) { $0.stop(.byOperator, at: now.monotonic) }
  }

  package var view: SchedulerView {
    var (suspended, disabled, failing) = (0, 0, 0)
    for job in jobs.values {
      if job.suspension != nil { suspended += 1 }
      if !job.spec.timing.isEnabled { disabled += 1 }
      if job.failureStreak > 0 { failing += 1 }
    }
    return SchedulerView(
      phase: phase, jobs: jobs.count, suspended: suspended, disabled: disabled, failing: failing,
      running: queue.takenCount, queued: runs.values.count { $0.machine.state == .queued },
      settings: settings)
  }

  /// A job at this moment; nil when there is none of this name.
  package func view(of name: JobName, at now: Now) -> JobView? {
    guard let job = jobs[name] else { return nil }
    let active = (activeRuns[name] ?? []).compactMap { runs[$0]?.view(at: now) }
    return JobView(
      spec: job.spec, state: state(of: job, active), next: job.isHeld ? nil : job.armed?.slot,
      timer: job.armed != nil ? .running : job.hasBeenArmed ? .cancelled : .idle, active: active,
      failureStreak: job.failureStreak, ranCount: job.ranCount, suspension: job.suspension)
  }

  /// A run that has not ended; nil when there is none of this number. Hooks are found as well.
  package func view(of run: RunID, at now: Now) -> RunView? { runs[run]?.view(at: now) }

  /// What the next slots of a job are computed from; nil when there is no such job, or its slots are
  /// not served.
  package func foresight(of name: JobName, at now: Now) -> SlotForesight? {
    guard let job = jobs[name], !job.isHeld else { return nil }
    return SlotForesight(spec: job.spec, cursor: job.cursor, ran: job.ranCount, now: now)
  }

  private func state(of job: JobState, _ active: [RunView]) -> JobView.State {
    if active.contains(where: { [.running, .stopping, .killing].contains($0.state) }) {
      return .running
    }
    if active.contains(where: { $0.state == .backingOff }) { return .backingOff }
    if !active.isEmpty { return .queued }
    if !job.spec.timing.isEnabled { return .disabled }
    if job.suspension != nil { return .suspended }
    if job.rest == .limit { return .limit }
    return job.armed == nil ? .idle : .waiting
  }
}

extension JobSpec {
  /// The job as one run of it is done with parameters of its own.
  func given(_ parameters: RunParameters) -> JobSpec {
    var spec = self
    if !parameters.values.isEmpty {
      switch action {
      case .use(let name, let values):
        spec.action = .use(name, values.merging(parameters.values) { $1 })
      case .plugin(let manifest, let values):
        spec.action = .plugin(manifest, values.merging(parameters.values) { $1 })
      case .shell, .argv, .steps: break
      }
    }
    if !parameters.environment.isEmpty {
      spec.execution.environment.merge(parameters.environment) { $1 }
    }
    return spec
  }
}
