import TaktTime

/// Slots that lie in times which their job excludes.
extension SchedulerCore {
  /// Skips those among what a wake has found; nil when nothing else is left.
  mutating func withoutExcluded(
    _ due: ScheduleCursor.Due, of id: JobID, at now: Now
  ) -> ScheduleCursor.Due? {
    let (timing, cursor) = (jobs[id].spec.timing, jobs[id].cursor)
    let schedule = timing.schedule
    let others = skipExcluded(due.all, of: id, schedule, at: now)
    guard let last = others.max(by: { $0.last < $1.last }) else { return nil }
    let before = cursor.instantSet(of: last, schedule).splitNewest(1, of: last).rest
    var newest = due.newest
    if last.last != newest.nominal {
      let slot = Slot(
        nominal: last.last, causes: cursor.causes(of: last.last, schedule),
        deadline: cursor.deadline(of: last.last, schedule, at: now))
      newest = cursor.place(slot, in: timing, for: jobs.name(of: id), at: now)
    }
    return ScheduleCursor.Due(
      passed: others.filter { $0 != last } + [before].compactMap(\.self), newest: newest,
      all: others)
  }

  /// Skips those among slots that have passed, and returns the others.
  mutating func skipExcluded(
    _ all: [SlotSeries], of id: JobID, _ schedule: Schedule, at now: Now
  ) -> [SlotSeries] {
    guard let excludedTimes = schedule.excludedTimes else { return all }
    let cursor = jobs[id].cursor
    return all.flatMap { series in
      let (excluded, others) = excludedTimes.divide(
        series, of: cursor.instantSet(of: series, schedule))
      for series in excluded { decide(id, series, .skipped(.excluded), at: now) }
      return others
    }
  }
}
