import TaktTime

/// Fixed delays of shared jobs: the next slot is counted from the end of the last one, wherever that
/// ran. The engine knows when it was, so that all machines give the slot the same name.
extension SchedulerCore {
  /// No run of the job is active on this machine. Returns whether the engine knows from when the
  /// delay counts.
  mutating func startSharedDelay(of id: JobID, at now: Now) -> Bool {
    guard let job = cluster.jobs[id], job.rests else { return false }
    // What waits for the engine's word has a slot still.
    guard cluster.book.count(of: id) == 0, job.unsettled.isEmpty else { return true }
    if !cluster.membership.isUp, jobs[id].spec.onPartition == .run {
      jobs[id].startDelay(at: now)
      arm(id, at: now)
    }
    if phase == .running, cluster.jobs[id]?.askEnd() == true {
      cluster.membership.say(.lastEnd(id))
    }
    return true
  }

  /// While the slot is another machine's, it is asked again with each renewal.
  mutating func lastEndAnswered(_ answer: ClaimAnswer, of id: JobID, at now: Now) {
    cluster.jobs[id]?.endAskingEnd()
    guard case .ended(let end) = answer, phase == .running, jobs.isPresent(id),
      let job = cluster.jobs[id], job.rests, cluster.book.count(of: id) == 0, job.unsettled.isEmpty,
      jobs[id].late.isEmpty, !runs.hasActive(id)
    else { return }
    let schedule = jobs[id].spec.timing.schedule
    jobs[id].cursor.startDelay(from: end, schedule, at: now)
    markDirty(id)
    arm(id, at: now)
  }

  /// A slot of the job has its verdict.
  mutating func noteDecided(_ id: JobID, _ slot: WallInstant) {
    guard cluster.jobs[id]?.rests == true else { return }
    jobs[id].cursor.noteDecided(slot)
    markDirty(id)
  }
}
