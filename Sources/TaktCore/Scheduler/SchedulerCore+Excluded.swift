import TaktTime

/// Slots that lie in times which their job excludes.
extension SchedulerCore {
  /// Skips those among what a wake has found; nil when nothing else is left.
  mutating func withoutExcluded(
    _ due: ScheduleCursor.Due, of id: JobID, at now: Now
  ) -> ScheduleCursor.Due? {
    if jobs[id].spec.timing.schedule.exclusions.isEmpty { return due }
    let (timing, cursor) = (jobs[id].spec.timing, jobs[id].cursor)
    let schedule = timing.schedule
    let others = skipExcluded(due.all, of: id, schedule, at: now)
    guard let last = others.max(by: { $0.last < $1.last }) else { return nil }
    var found = due
    found.all = others
    found.passed = others.filter { $0 != last }
    found.passed +=
      [cursor.track(of: last, schedule).takeNewest(1, of: last).rest].compactMap(\.self)
    if last.last != due.newest.nominal {
      let slot = Slot(
        nominal: last.last, causes: cursor.causes(of: last.last, schedule),
        deadline: cursor.deadline(of: last.last, schedule, at: now))
      found.newest = cursor.place(slot, in: timing, for: jobs.name(of: id), at: now)
    }
    return found
  }

  /// Skips those among slots that have passed, and returns the others.
  mutating func skipExcluded(
    _ all: [SlotSeries], of id: JobID, _ schedule: Schedule, at now: Now
  ) -> [SlotSeries] {
    if schedule.exclusions.isEmpty { return all }
    let cursor = jobs[id].cursor
    return all.flatMap { series in
      let (excluded, others) = schedule.exclusions.divide(
        series, of: cursor.track(of: series, schedule))
      for series in excluded { decide(id, series, .skipped(.excluded), at: now) }
      return others
    }
  }
}
