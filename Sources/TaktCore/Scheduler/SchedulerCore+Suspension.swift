import TaktTime

/// Jobs that somebody has put to rest. A slot that passes meanwhile never runs.
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

  /// Ends a pause whose time is over.
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

  /// Decides what held jobs have let pass, as a stop would: for a simulation that ends.
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
