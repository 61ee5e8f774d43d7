import TaktTime

/// Jobs that wait for the ends of several others. The ends that there have been outlive takt.
extension SchedulerCore {
  /// Takes the end of a parent's run. Returns whether all that the job waits for have ended as asked;
  /// the next time counts from here.
  mutating func gather(_ end: RunEnd, of parent: JobName, for id: JobID, at now: Now) -> Bool {
    guard let all = jobs[id].spec.timing.schedule.afterAll,
      all.parents.contains(where: { $0.job == parent && $0.isMet(by: end) })
    else { return false }
    var alarms = jobs[id].alarms ?? JobAlarms()
    alarms.ended[parent] = now.wall.kept
    let isWhole = all.missing(in: alarms.ended, at: now.wall).isEmpty
    if isWhole { alarms.ended = [:] }
    jobs[id].alarms = alarms
    markDirty(id)
    return isWhole
  }

  /// Forgets ends that the job does not wait for any more, or not in this way.
  mutating func keepEnds(of id: JobID, from old: Schedule?, to new: Schedule) {
    guard var alarms = jobs[id].alarms, !alarms.ended.isEmpty else { return }
    let kept = Set(old?.afterAll?.parents ?? []).intersection(new.afterAll?.parents ?? [])
    alarms.ended = alarms.ended.filter { ended in kept.contains { $0.job == ended.key } }
    jobs[id].alarms = alarms
    markDirty(id)
  }
}

extension JobState {
  /// What of the ends that the job waits for there is; nil for a job that waits for none.
  func gatheredEnds(at now: WallInstant) -> GatheredEnds? {
    spec.timing.schedule.afterAll.map { GatheredEnds($0, alarms?.ended ?? [:], at: now) }
  }
}
