package import TaktTime

/// The scheduler's interface for clients.
///
/// Safe from any thread. Replies come on the scheduler's queue, and must not block it; none comes
/// after takt has stopped.
package protocol SchedulerControl: Sendable {
  /// Performs a command as soon as the queue is free.
  func perform(
    _ command: SchedulerCommand, reply: @escaping @Sendable (SchedulerReply) -> Void)

  /// Queries the scheduler as soon as the queue is free. Large queries are made in small parts:
  /// slots that are due wait meanwhile.
  func query<Value: Sendable>(
    _ question: @escaping @Sendable (SchedulerCore, Now) -> Value,
    reply: @escaping @Sendable (Value) -> Void)
}

/// Commands and views for clients.
extension SchedulerCore {
  /// The most runs of one job that may wait for a free place; a slot beyond is
  /// `skipped(queue_full)`.
  package static let waitingRunsPerJobMax = 64

  /// Performs a command, and returns its reply and the effects.
  package mutating func perform(
    _ command: SchedulerCommand, at now: Now
  ) -> (reply: SchedulerReply, effects: [SchedulerEffect]) {
    placement?.note(.eventComes, in: &self, at: now)
    let reply = execute(command, at: now)
    close(at: now)
    let done = effects
    effects = []
    return (reply, done)
  }

  mutating func execute(_ command: SchedulerCommand, at now: Now) -> SchedulerReply {
    switch command {
    case .trigger, .backfill:
      guard phase == .running else { return .unavailable }
      if drain != nil { return .draining }
    case .suspend, .resume, .drain, .endDrain:
      guard phase == .running else { return .unavailable }
    case .cancelJob, .cancelRun:
      // A run that is cancelled holds no stop.
      guard phase != .starting, phase != .finished else { return .unavailable }
    }
    switch command {
    case .trigger(let name, let slot, let parameters, let isForced):
      guard let id = jobs.id(of: name) else { return .unknownJob }
      return trigger(id, slot: slot, parameters, isForced: isForced, at: now)
    case .backfill(let name, let slot, let parameters, let isForced, let isAgain):
      guard let id = jobs.id(of: name) else { return .unknownJob }
      return backfill(
        id, slot: slot, parameters, isForced: isForced, isAgain: isAgain, at: now)
    case .suspend(let name, let until, let reason):
      guard let id = jobs.id(of: name) else { return .unknownJob }
      if let until, until <= now.wall { return .past }
      suspend(id, until: until, reason: reason, at: now)
      return .done()
    case .resume(let name):
      guard let id = jobs.id(of: name) else { return .unknownJob }
      guard jobs[id].isSuspended else { return .notSuspended }
      resume(id, at: now)
      return .done()
    case .cancelJob(let name):
      // Runs of a job that has been removed are found as well.
      guard let id = jobs.id(ofKnown: name), jobs.isPresent(id) || runs.hasActive(id) else {
        return .unknownJob
      }
      let active = runs.active(of: id).all
      for run in active { cancel(run, at: now) }
      if jobs.isPresent(id) { giveUpCheck(of: id, as: .cancelled(.byOperator), at: now) }
      return .done(runs: active)
    case .cancelRun(let run):
      guard runs.contains(run) else { return .unknownRun }
      cancel(run, at: now)
      return .done(runs: [run])
    case .drain(let stays):
      startDrain(stays: stays, at: now)
      return .done()
    case .endDrain:
      guard drain != nil else { return .notDraining }
      endDrain(at: now)
      return .done()
    }
  }

  private mutating func trigger(
    _ id: JobID, slot: WallInstant?, _ parameters: RunParameters, isForced: Bool, at now: Now
  ) -> SchedulerReply {
    let active = runs.active(of: id)
    guard active.count < settings.maxRunning + Self.waitingRunsPerJobMax else { return .tooMany }
    if !isForced {
      let overlap = jobs[id].spec.overlap
      if overlap.mayRefuse {
        for run in active.all where overlap.fate(meeting: other(run)) >= .refused {
          return .overlapping(run)
        }
      }
      if overlap.waits, active.count > Self.waitingRunsPerJobMax { return .tooMany }
      replaceRuns(of: id, as: .cancelled(.byOperator), isByHand: true, at: now)
    }
    queueRun(
      .manual(slot ?? now.wall), of: id, jobs[id].spec, with: parameters, isForced: isForced,
      at: now)
    return .done(runs: [RunID(runs.lastRun)])
  }

  /// A slot whose run has not started is decided by that.
  private mutating func cancel(_ run: RunID, at now: Now) {
    guard runs.contains(run) else { return }
    if let slot = runs[run].undecidedSlot {
      decide(runs[run].job, SlotSeries(slot.nominal), .cancelled(.byOperator), at: now)
    }
    step(run, at: now) { $0.stop(.byOperator, at: now.monotonic) }
  }

  package var view: SchedulerView {
    let tally = jobs.tally
    return SchedulerView(
      phase: phase, jobs: jobs.count, waiting: tally.waiting, suspended: tally.suspended,
      disabled: tally.disabled,
      failing: tally.failing, stale: tally.stale, alarmFailed: tally.alarmFailed,
      running: runs.places.heldCount,
      queued: runs.all.count { runs.run($0)?.machine.state == .queued },
      drain: drain, settings: settings)
  }

  /// Logs that some jobs have no metrics of their own.
  mutating func logMetricsLimit(at now: Now) {
    let most = settings.metrics.jobs
    guard jobs.count > most else { return }
    log(
      .notice, .scheduler, at: now,
      [
        LogField(
          .message,
          .text(
            "metrics: \(most) of \(jobs.count) jobs have series of their own, those with a problem "
              + "first; scheduler.metrics.jobs sets how many"))
      ])
  }

  /// Nil if there is no job of this name.
  package func view(of name: JobName, at now: Now) -> JobView? {
    guard let id = jobs.id(of: name), let job = jobs.state(of: id) else { return nil }
    let active = runs.active(of: id).all.compactMap { view(of: $0, at: now) }
    return JobView(
      spec: job.spec, state: state(of: job, active), next: job.nextSlot,
      timer: job.timer?.view ?? .idle, active: active,
      failureStreak: job.failureStreak, ranCount: job.ranCount, suspension: job.suspension,
      staleSince: job.alarms?.freshness?.staleSince,
      gatheredEnds: job.gatheredEnds(at: now.wall), checkedSlot: checks[id]?.slot.nominal,
      isDrifted: placement?.isDrifted(id, in: self) ?? false,
      missingLabels: placement?.missingLabels(of: id, in: self),
      alarmFailures: job.alarms?.failures ?? [:])
  }

  /// Nil if there is no active run of this number. Hooks are found as well.
  package func view(of run: RunID, at now: Now) -> RunView? {
    var view = runs.run(run)?.view(at: now)
    if view?.state == .queued {
      view?.waitsFor = runs.wait(of: run)?.words
    }
    return view
  }

  /// The input for computing the next slots of a job; nil if there is no such job, or its slots are
  /// not served.
  package func previewInput(of name: JobName, at now: Now) -> SlotPreviewInput? {
    guard let job = jobs.id(of: name).flatMap({ jobs.state(of: $0) }), !job.isHeld else {
      return nil
    }
    return SlotPreviewInput(spec: job.spec, cursor: job.cursor, ran: job.ranCount, now: now)
  }

  /// The input for foreseeing slots of a job, also of one that is suspended or disabled; nil if
  /// there is no such job.
  package func forecastInput(of name: JobName, at now: Now) -> SlotForecastInput? {
    guard var job = jobs.state(of: name) else { return nil }
    let timing = job.spec.timing
    return SlotForecastInput(
      spec: job.spec,
      previous: PreviousJob(
        checkpoint: job.checkpoint, isSameBoot: true,
        version: ScheduleVersion(
          job: name, schedule: timing.schedule, isEnabled: timing.isEnabled,
          anchor: job.cursor.anchor, from: job.cursor.edge(at: now), instantsFrom: nil),
        isOpen: true), now: now)
  }

  private func state(of job: JobState, _ active: [RunView]) -> JobView.State {
    if active.contains(where: { [.running, .stopping, .killing].contains($0.state) }) {
      return .running
    }
    if active.contains(where: { $0.state == .backingOff }) { return .backingOff }
    if !active.isEmpty { return .queued }
    if !job.spec.timing.isEnabled { return .disabled }
    if job.isSuspended { return .suspended }
    if job.holdReason == .limit { return .limit }
    return job.awaited == nil ? .idle : .waiting
  }

  mutating func dumpStatus(at now: Now) {
    for id in jobs.sorted {
      let active = runs.active(of: id).all
      var parts = [
        !jobs[id].spec.timing.isEnabled
          ? "disabled"
          : jobs[id].isSuspended
            ? "suspended" : jobs[id].awaited == nil ? "nothing due" : "waiting"
      ]
      for kind in RunState.Kind.allCases {
        let count = active.count { runs[$0].machine.state.kind == kind }
        if count > 0 { parts.append("\(count) \(kind.rawValue)") }
      }
      var fields = [
        LogField(.job, .text(jobs.name(of: id).text)),
        LogField(.message, .text("status: \(parts.joined(separator: ", "))")),
      ]
      if let slot = jobs[id].nextSlot { fields.append(LogField(.slot, .instant(slot.nominal))) }
      if !active.isEmpty { fields.append(LogField(.count, .number(Int64(active.count)))) }
      log(.notice, .scheduler, at: now, fields)
    }
  }
}

/// Suspended jobs. A slot that passes meanwhile never runs.
extension SchedulerCore {
  mutating func suspend(
    _ id: JobID, until: WallInstant?, reason: String, isNews: Bool = false, at now: Now
  ) {
    guard phase == .running else { return }
    let since = jobs[id].suspension?.since ?? now.wall
    jobs[id].suspension = Suspension(since: since, until: until, reason: reason)
    markDirty(id)
    if !isNews { placement?.note(.suspensionChanged(id), in: &self, at: now) }
    giveUpLate(of: id, as: .skipped(.suspended), at: now)
    giveUpCheck(of: id, as: .skipped(.suspended), at: now)
    suspendWaiting(of: id, at: now)
    logSuspension(
      "suspended" + (until.map { " until \($0.rfc3339())" } ?? ""), of: id, reason, at: now)
    endFreshnessTimer(of: id)
    arm(id, at: now)
  }

  mutating func resume(_ id: JobID, isNews: Bool = false, at now: Now) {
    guard phase == .running else { return }
    if !isNews { placement?.note(.suspensionChanged(id), in: &self, at: now) }
    endSuspension(of: id, at: now)
    arm(id, at: now)
  }

  mutating func endSuspension(ifOver id: JobID, at now: Now) {
    guard let until = jobs[id].suspension?.until, until <= now.wall else { return }
    endSuspension(of: id, at: now)
  }

  /// One record covers the slots that have passed.
  private mutating func endSuspension(of id: JobID, at now: Now) {
    guard let suspension = jobs[id].suspension else { return }
    decideDue(id, as: nil, at: now)
    jobs[id].suspension = nil
    if !runs.hasActive(id) { startDelay(of: id, at: now) }
    markDirty(id)
    logSuspension("resumed", of: id, suspension.reason, at: now)
    watchFreshness(of: id, .resumed, at: now)
  }

  /// Decides the slots that held jobs have let pass, as a stop would: for a simulation that ends.
  mutating func passHeld(at now: Now) -> [SchedulerEffect] {
    for id in jobs.sorted where jobs[id].isHeld { decideDue(id, as: nil, at: now) }
    let done = effects
    effects = []
    return done
  }

  private mutating func logSuspension(_ what: String, of id: JobID, _ reason: String, at now: Now) {
    var fields = [LogField(.job, .text(jobs.name(of: id).text)), LogField(.message, .text(what))]
    if !reason.isEmpty { fields.append(LogField(.reason, .text(reason))) }
    log(.notice, .scheduler, at: now, fields)
  }
}
