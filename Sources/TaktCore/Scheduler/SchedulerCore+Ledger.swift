import TaktTime
import DequeModule

/// The ledger's entries about jobs, from which the next daemon continues, and from which anybody
/// can compute the slots that there should have been.
extension SchedulerCore {
  /// Records a job's checkpoint at the end of this event.
  mutating func markDirty(_ id: JobID) {
    // Mostly it is one job, several times.
    if unmarked.last != id, !isWithoutMarks { unmarked.append(id) }
  }

  /// Records the checkpoints that have changed.
  mutating func recordMarks() {
    guard unmarked.count > 1 else {
      if let id = unmarked.popLast() { recordMark(of: id) }
      return
    }
    for id in jobs.sortedByName(Set(unmarked)) { recordMark(of: id) }
    unmarked.removeAll(keepingCapacity: unmarked.count < 4096)
  }

  /// A removed job has recorded its checkpoint with its end.
  private mutating func recordMark(of id: JobID) {
    if jobs.isPresent(id) { effects.append(.record(.checkpoint(jobs[id].checkpoint))) }
  }

  /// From now on the job is due by its present schedule.
  ///
  /// - Parameter isFirst: true if takt loads the job for the first time, so that all of its single
  ///   instants count.
  mutating func beginVersion(of id: JobID, isFirst: Bool = false, at now: Now) {
    let (timing, cursor) = (jobs[id].spec.timing, jobs[id].cursor)
    let edge = cursor.edge(at: now)
    effects.append(
      .record(
        .schedule(
          ScheduleVersion(
            job: jobs.name(of: id), schedule: timing.schedule, isEnabled: timing.isEnabled,
            anchor: cursor.anchor, from: edge, instantsFrom: isFirst ? nil : edge.wall))))
    markDirty(id)
  }

  /// The job was removed. Its checkpoint is recorded here, since its number is given up.
  mutating func endVersion(of id: JobID, at now: Now) {
    effects.append(.record(.checkpoint(jobs[id].checkpoint)))
    let cursor = jobs[id].cursor
    effects.append(.record(.scheduleEnded(jobs.name(of: id), cursor.edge(at: now))))
  }

  /// The ledger has started again: the whole present state is recorded again.
  mutating func rewriteLedger(at now: Now) {
    for id in jobs.sorted {
      beginVersion(of: id, at: now)
      for late in jobs[id].late {
        effects.append(.record(.pending(jobs.name(of: id), late.slot.nominal)))
      }
      if let slot = checks[id]?.slot {
        effects.append(.record(.pending(jobs.name(of: id), slot.nominal)))
      }
      for slot in placement?.waitingSlots(of: id, in: self) ?? [] {
        effects.append(.record(.pending(jobs.name(of: id), slot)))
      }
    }
    for id in runs.all {
      let run = runs[id]
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
      if run.startedAt != nil || run.isClaiming, let row = runs.row(of: id) {
        recordParameters(of: row)
      }
    }
  }
}
