import TaktTime

/// Slots that lie in times which their job excludes.
extension SchedulerCore {
  /// Skips those among what a wake has found; nil when nothing else is left.
  mutating func withoutExcluded(
    _ due: ScheduleCursor.Due, of spec: JobSpec, at now: Now
  ) -> ScheduleCursor.Due? {
    let schedule = spec.timing.schedule
    guard !schedule.exclusions.isEmpty, let cursor = jobs[spec.name]?.cursor else { return due }
    let others = skipExcluded(due.all, of: spec.name, schedule, at: now)
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
      found.newest = cursor.place(slot, in: spec.timing, for: spec.name, at: now)
    }
    return found
  }

  /// Skips those among slots that have passed, and returns the others.
  mutating func skipExcluded(
    _ all: [SlotSeries], of name: JobName, _ schedule: Schedule, at now: Now
  ) -> [SlotSeries] {
    guard !schedule.exclusions.isEmpty, let cursor = jobs[name]?.cursor else { return all }
    return all.flatMap { series in
      let (excluded, others) = schedule.exclusions.divide(
        series, of: cursor.track(of: series, schedule))
      for series in excluded { decide(name, series, .skipped(.excluded), at: now) }
      return others
    }
  }
}
