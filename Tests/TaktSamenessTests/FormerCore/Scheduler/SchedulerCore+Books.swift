import TaktTime
import DequeModule

/// What the ledger is told of jobs, so that a takt to come goes on where this one ends, and so that
/// anybody can compute which slots there should have been.
extension SchedulerCore {
  /// A job's mark is to be recorded at the end of this event.
  mutating func remark(_ name: JobName) {
    // Mostly it is one job, several times.
    if unmarked.last != name { unmarked.append(name) }
  }

  /// Records the marks of all jobs that have changed since they were recorded.
  mutating func recordMarks() {
    guard !unmarked.isEmpty else { return }
    for name in unmarked.count == 1 ? unmarked : Set(unmarked).sorted() {
      guard let job = jobs[name] else { continue }
      effects.append(.record(.mark(job.mark)))
    }
    unmarked.removeAll(keepingCapacity: unmarked.count < 4096)
  }

  /// From now on the job is due by its present schedule.
  ///
  /// - Parameter isFirst: whether takt hears of the job for the first time, so that all of its
  ///   single instants count.
  mutating func beginVersion(of name: JobName, isFirst: Bool = false, at now: Now) {
    guard let job = jobs[name] else { return }
    let edge = job.cursor.edge(at: now)
    effects.append(
      .record(
        .schedule(
          ScheduleVersion(
            job: name, schedule: job.spec.timing.schedule, isEnabled: job.spec.timing.isEnabled,
            anchor: job.cursor.anchor, from: edge, instantsFrom: isFirst ? nil : edge.wall))))
    remark(name)
  }

  /// The job is due no more. Its mark is recorded here, as it will be no job's any longer.
  mutating func endVersion(of name: JobName, at now: Now) {
    guard let job = jobs[name] else { return }
    effects.append(.record(.mark(job.mark)))
    effects.append(.record(.scheduleEnded(name, job.cursor.edge(at: now))))
  }

  /// The ledger has begun anew: all that holds now is told again.
  mutating func tellLedger(at now: Now) {
    for name in jobs.keys.sorted() {
      beginVersion(of: name, at: now)
      for late in jobs[name]?.late ?? [] {
        effects.append(.record(.pending(name, late.slot.nominal)))
      }
    }
    for id in runs.keys.sorted() {
      guard let run = runs[id] else { continue }
      if let slot = run.undecidedSlot {
        effects.append(.record(.pending(run.spec.name, slot.nominal)))
      }
      if run.startedAt != nil {
        var beginning = run.beginning(at: now)
        beginning.attempt = max(1, run.machine.attempt)
        effects.append(.record(.began(beginning)))
        if let retry = run.retryPosition(at: now) {
          effects.append(.record(.backedOff(id, retry, at: now.wall)))
        }
      }
      if run.isClaiming { effects.append(.record(.claimed(run.beginning(at: now)))) }
    }
  }
}
