import TaktTime

/// Jobs that somebody has put to rest. A slot that passes meanwhile never runs.
extension SchedulerCore {
  mutating func suspend(
    _ name: JobName, until: WallInstant?, reason: String, at now: Now
  ) {
    guard phase == .running, let job = jobs[name] else { return }
    let since = job.suspension?.since ?? now.wall
    jobs[name]?.suspension = Suspension(since: since, until: until, reason: reason)
    remark(name)
    giveUpLate(of: name, as: .skipped(.suspended), at: now)
    suspendWaiting(of: name, at: now)
    tell("suspended" + (until.map { " until \($0.rfc3339())" } ?? ""), of: name, reason, at: now)
    arm(name, at: now)
  }

  mutating func resume(_ name: JobName, at now: Now) {
    guard phase == .running, jobs[name]?.suspension != nil else { return }
    endSuspension(of: name, at: now)
    arm(name, at: now)
  }

  mutating func endSuspension(ifOver name: JobName, at now: Now) {
    guard let until = jobs[name]?.suspension?.until, until <= now.wall else { return }
    endSuspension(of: name, at: now)
  }

  /// One record covers the slots that have passed.
  private mutating func endSuspension(of name: JobName, at now: Now) {
    guard let job = jobs[name], let suspension = job.suspension else { return }
    decideDue(name, as: nil, at: now)
    jobs[name]?.suspension = nil
    if activeRuns[name] == nil { jobs[name]?.cursor.rest(job.spec.timing.schedule, at: now) }
    remark(name)
    tell("goes on", of: name, suspension.reason, at: now)
  }

  /// Decides what held jobs have let pass, as a stop would: for a simulation that ends.
  mutating func passHeld(at now: Now) -> [SchedulerEffect] {
    for name in jobs.keys.sorted() where jobs[name]?.isHeld == true {
      decideDue(name, as: nil, at: now)
    }
    let done = effects
    effects = []
    return done
  }

  private mutating func tell(_ what: String, of name: JobName, _ reason: String, at now: Now) {
    var fields = [LogField(.job, .text(name.text)), LogField(.message, .text(what))]
    if !reason.isEmpty { fields.append(LogField(.reason, .text(reason))) }
    log(.notice, .scheduler, at: now, fields)
  }
}
