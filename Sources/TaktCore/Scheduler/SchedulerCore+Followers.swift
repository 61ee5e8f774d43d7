import TaktTime

/// Jobs that wait for the ends of other jobs' runs, or for those of several others. The ends that there
/// have been outlive takt.
extension SchedulerCore {
  /// Takes a job's triggers into the table, or out of it.
  mutating func follow(_ id: JobID, from old: JobSpec?, to new: JobSpec?) {
    let before = old?.timing.schedule.parents ?? []
    let wanted = new?.timing.schedule.parents ?? []
    for parent in before.subtracting(wanted) {
      if let parent = jobs.unfollow(parent, id) { removeIfEnded(parent) }
    }
    for parent in wanted.subtracting(before) { jobs.follow(parent, id) }
  }

  /// A run of a job has come to its last end: who waits for that is due. What becomes of their slots
  /// is recorded with the end itself.
  mutating func callFollowers(of parent: JobID, _ end: RunEnd, at now: Now) {
    for id in jobs.followers(of: parent) where jobs.isPresent(id) {
      let name = jobs.name(of: parent)
      let triggers = jobs[id].spec.timing.schedule.after
      let isWhole = gather(end, of: name, for: id, at: now)
      if isWhole || triggers.contains(where: { $0.job == name && $0.isMet(by: end) }) {
        occur([.after], for: id, at: now)
      }
    }
  }

  // MARK: Several ends

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
