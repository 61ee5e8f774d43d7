import TaktTime

/// Jobs that wait for the ends of other jobs' runs.
extension SchedulerCore {
  /// Takes a job's triggers into the table, or out of it.
  mutating func follow(from old: JobSpec?, to new: JobSpec?) {
    guard let name = new?.name ?? old?.name else { return }
    let before = Set((old?.timing.schedule.after ?? []).map(\.job))
    let wanted = Set((new?.timing.schedule.after ?? []).map(\.job))
    for parent in before.subtracting(wanted) {
      followers[parent]?.remove(name)
      if followers[parent]?.isEmpty == true { followers[parent] = nil }
    }
    for parent in wanted.subtracting(before) { followers[parent, default: []].insert(name) }
  }

  /// A run of a job has come to its last end: who waits for that is due. What becomes of their slots
  /// is recorded with the end itself.
  mutating func callFollowers(of parent: JobName, _ end: RunEnd, at now: Now) {
    for name in (followers[parent] ?? []).sorted() {
      let triggers = jobs[name]?.spec.timing.schedule.after ?? []
      if triggers.contains(where: { $0.job == parent && $0.isMet(by: end) }) {
        occur([.after], for: name, at: now)
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
