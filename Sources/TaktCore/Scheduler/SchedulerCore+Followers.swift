import TaktTime

/// Jobs that wait for the ends of other jobs' runs.
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
}

extension Following {
  func isMet(by end: RunEnd) -> Bool {
    switch (condition, end.outcome) {
    case (.any, _), (.success, .succeeded), (.failure, .failed), (.failure, .timedOut): true
    case (.success, _), (.failure, _): false
    }
  }
}
