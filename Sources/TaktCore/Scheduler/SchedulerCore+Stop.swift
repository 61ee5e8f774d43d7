import TaktTime

/// Stop: no new runs, then a wait, then signals, then the end.
extension SchedulerCore {
  /// The time that a stop waits, after all graces are over, for processes that do not even end by
  /// SIGKILL.
  package static let abandonAfter = Duration.seconds(10)

  /// The log's message once all runs have ended after a stop.
  package static let stoppedMessage = "stopped"

  mutating func stop(at now: Now) {
    switch phase {
    case .starting: finish(at: now)
    case .running: beginStop(at: now)
    case .draining: stopRuns(at: now)
    case .stopping: hurryRuns(at: now)
    case .finished: break
    }
  }

  private mutating func beginStop(at now: Now) {
    phase = .draining
    log(
      .notice, .scheduler, at: now,
      [
        LogField(.message, .text(stopMessage(at: now))),
        LogField(.count, .number(Int64(runs.places.heldCount))),
      ])
    for id in jobs.sorted {
      giveUpCheck(of: id, as: .skipped(.stopping), at: now)
      // Slots that passed during a drain are left to the next daemon, as those after a stop.
      if drain == nil || jobs[id].isHeld { stopSlots(of: id, at: now) }
      endTimers(of: id)
    }
    placement?.note(.stopping, in: &self, at: now)
    giveUpQueuedRuns(at: now)
    guard phase == .draining else { return }
    if settings.shutdownGrace <= .zero, !runs.isEmpty { return stopRuns(at: now) }
    armShutdown(after: settings.shutdownGrace, at: now)
    finishIfIdle(at: now)
  }

  /// The most active runs, or jobs, named in a line.
  static let namedMax = 8

  /// The message of a wait: its reasons, its length, and the way to end it.
  private func stopMessage(at now: Now) -> String {
    let count = runs.places.heldCount
    let start = "stopping; no new runs; active runs: \(count)"
    let active = activeRunWords(at: now)
    guard count > 0, !active.isEmpty, settings.shutdownGrace > .zero else { return start }
    return
      "\(start): \(active). They may continue for \(DurationText.brief(settings.shutdownGrace)); "
      + "a second Ctrl-C or SIGTERM stops them now"
  }

  /// `run 12 of backup since 18:00:05 (2m 03s)`, the longest first.
  fileprivate func activeRunWords(at now: Now) -> String {
    let active = runs.all.compactMap { runs.run($0) }.filter(\.machine.isInProgress)
      .sorted { ($0.startedAt ?? now.monotonic, $0.id) < ($1.startedAt ?? now.monotonic, $1.id) }
    var words = active.prefix(Self.namedMax).map { run in
      let taken = now.monotonic - (run.startedAt ?? now.monotonic)
      let since = settings.zone.civilTime(at: now.wall - taken)
      let time = since.timeOfDay.prefix(8)
      let hook = run.isHook ? "a hook of " : ""
      return
        "run \(run.id.number) of \(hook)\(run.spec.name) since \(time) (\(DurationText.brief(taken)))"
    }
    if active.count > words.count { words.append("\(active.count - words.count) more") }
    return words.joined(separator: ", ")
  }

  /// Slots that are delayed, or were to run late, continue to wait: the next daemon decides them.
  private mutating func stopSlots(of id: JobID, at now: Now) {
    if jobs[id].isHeld { return decideDue(id, as: nil, at: now) }
    guard let due = jobs[id].popDue(at: now) else { return }
    // Other machines continue.
    if placement?.takes(passed: due.all, of: id, by: nil, in: &self, at: now) == true { return }
    let waits = due.newest.deadline > now.monotonic
    for series in waits ? due.passed : due.all {
      decide(id, series, .skipped(.stopping), at: now)
    }
    if waits { putOff(due.newest, of: id, until: due.newest.deadline) }
  }

  /// Runs that wait, for a place or for their next attempt, will not start, and those in progress
  /// have no further attempts. Hooks still may.
  private mutating func giveUpQueuedRuns(at now: Now) {
    for id in runs.all where runs.contains(id) && !runs[id].isHook {
      if runs[id].isInProgress {
        step(id, at: now) { $0.allowNoRetry() }
      } else {
        giveUpQueued(id, at: now)
      }
    }
  }

  fileprivate mutating func giveUpQueued(_ id: RunID, at now: Now) {
    if let slot = runs[id].undecidedSlot {
      decide(
        runs[id].job, SlotSeries(slot.nominal),
        .skipped(runs[id].claim == nil ? .stopping : .elsewhere), at: now)
    }
    // Its next attempt is left to the next daemon.
    runs[id].parting = runs[id].retryPosition(at: now).map { Shared($0) }
    step(id, at: now) { $0.stop(.shutdown, at: now.monotonic) }
  }

  private mutating func stopRuns(at now: Now) {
    phase = .stopping
    let graces = runs.all.compactMap { runs.run($0)?.spec.execution.stop.grace }
    armShutdown(after: (graces.max() ?? .zero) + Self.abandonAfter, at: now)
    let active = activeRunWords(at: now)
    if !active.isEmpty {
      let longest = DurationText.brief(graces.max() ?? .zero)
      let grace =
        Set(graces).count > 1
        ? "Each is killed after its own kill.grace, the last after \(longest)"
        : "They are killed after \(longest) (kill.grace)"
      log(
        .notice, .scheduler, at: now,
        [
          LogField(
            .message,
            .text(
              "stopping active runs: \(active). \(grace); another Ctrl-C or SIGTERM kills them now")
          )
        ])
    }
    for id in runs.all { step(id, at: now) { $0.stop(.shutdown, at: now.monotonic) } }
  }

  private mutating func hurryRuns(at now: Now) {
    armShutdown(after: Self.abandonAfter, at: now)
    for id in runs.all { step(id, at: now) { $0.hurry() } }
  }

  mutating func shutdownFired(token: UInt64, at now: Now) {
    guard token == shutdownToken else { return }
    switch phase {
    case .draining: stopRuns(at: now)
    case .stopping where runs.isEmpty: finish(at: now)
    case .stopping:
      log(
        .error, .scheduler, at: now,
        [
          LogField(
            .message,
            .text("stopped waiting for runs that did not end after SIGKILL: \(runs.count)")),
          LogField(.count, .number(Int64(runs.count))),
        ])
      finish(at: now)
    // A drain looks whether it is done.
    case .starting, .running, .finished: break
    }
  }

  fileprivate mutating func armShutdown(after duration: Duration, at now: Now) {
    shutdownToken = nextToken()
    effects.append(
      .arm(
        .shutdown, deadline: now.monotonic + duration, due: now.wall + duration, leeway: .zero,
        token: shutdownToken))
  }

  mutating func finishIfIdle(at now: Now) {
    guard runs.isEmpty, phase == .draining || phase == .stopping,
      placement?.isDone(self) ?? true
    else { return }
    // In the log it is the last line of the scheduler's machines.
    effects.append(.disarm(.shutdown))
    log(.notice, .scheduler, at: now, [LogField(.message, .text(Self.stoppedMessage))])
    finish(at: now)
  }

  private mutating func finish(at now: Now) {
    phase = .finished
    recordMarks()
    placement?.note(.finished, in: &self, at: now)
    effects.append(.disarm(.shutdown))
    effects.append(.finish)
  }
}

/// Drain: no new runs, then, once no run is in progress, the end, or a hold. Slots that pass
/// meanwhile are decided by `missed`: when the drain ends, or by the next daemon.
extension SchedulerCore {
  /// The `reason` in the log for a drain that is done and ends takt, which nothing else has.
  package static let drainedReason = "drained"

  /// The least time for which takt stays, so that the client that drains it gets its answer.
  private static let answerTime = Duration.milliseconds(200)

  mutating func startDrain(stays: Bool, at now: Now) {
    let isNews = drain == nil
    drain = Drain(
      since: drain?.since ?? now.wall, stays: stays, isDone: stays && drain?.isDone ?? false)
    let active = activeRunWords(at: now)
    log(
      .notice, .scheduler, at: now,
      [
        LogField(
          .message,
          .text(
            "draining; no new runs; \(stays ? "it stays" : "it ends") when active runs have ended"
              + (active.isEmpty ? "" : ": \(active)"))),
        LogField(.count, .number(Int64(runs.places.heldCount))),
      ])
    armShutdown(after: Self.answerTime, at: now)
    guard isNews else { return }
    for id in jobs.sorted {
      giveUpCheck(of: id, as: .skipped(.stopping), at: now)
      arm(id, at: now)
    }
    // Other machines continue with the slots that this one has not started.
    placement?.note(.stopping, in: &self, at: now)
    for id in runs.all where runs.contains(id) && runs[id].claim != nil && !runs[id].isHook {
      if !runs[id].isInProgress, runs[id].startedAt == nil { giveUpQueued(id, at: now) }
    }
  }

  /// True if no run is in progress: hooks, and their waits, count as runs, and retries do not.
  private var isIdle: Bool {
    !runs.all.contains { id in
      runs.run(id).map { $0.isHook || $0.machine.isInProgress } ?? false
    }
  }

  mutating func endDrainIfIdle(at now: Now) {
    guard let drain, phase == .running, !drain.isDone, isIdle else { return }
    self.drain?.isDone = true
    let next = drain.stays ? "no run starts until 'takt drain --undo'" : "takt ends"
    var fields = [LogField(.message, .text("drained; \(next)"))]
    if !drain.stays { fields.append(LogField(.reason, .text(Self.drainedReason))) }
    log(.notice, .scheduler, at: now, fields)
    if !drain.stays { stop(at: now) }
  }

  mutating func endDrain(at now: Now) {
    guard phase == .running else { return }
    drain = nil
    log(.notice, .scheduler, at: now, [LogField(.message, .text("no longer draining"))])
    for id in jobs.sorted where !jobs[id].isHeld {
      guard let due = jobs[id].popDue(at: now),
        placement?.takes(passed: due.all, of: id, by: nil, in: &self, at: now) != true
      else { continue }
      settle(due.all, of: id, by: jobs[id].spec.timing.schedule, .drained, at: now)
    }
    giveTurns(to: jobs.sorted, at: now)
    for id in jobs.sorted where jobs[id].late.isEmpty { arm(id, at: now) }
    startWaitingRuns(at: now)
  }
}
