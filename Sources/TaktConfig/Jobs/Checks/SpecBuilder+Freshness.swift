import TaktCore
import TaktTime

/// Warnings of jobs whose freshness alarms without reason, or never.
extension SpecBuilder {
  /// Reports a job that becomes stale between two slots although each of them succeeds, and a hook
  /// that is never called.
  func warnOfFreshness(of raw: RawJob, _ settled: JobDefaults, schedule: Schedule) {
    let key = JobKey.expectSuccessWithin
    guard let limit = settled.policies.freshFor else {
      let hook = HookKind.onStale.key
      guard let field = raw.fields[hook], field.value?.isNull == false else { return }
      reporter.report(
        .suspicious, severity: .warning, at: field.keyMark,
        "'\(hook)' is never called without '\(key)'",
        hint: "add '\(key): 26h', or remove '\(hook)'",
        owner: raw.owner)
      return
    }
    guard settled.isEnabled, !schedule.hasUnforeseen,
      let gap = SlotGap(of: schedule, atLeast: limit, from: sources.now)
    else { return }
    reporter.report(
      .suspicious, severity: .warning, at: raw.fields[key]?.mark ?? raw.nameMark,
      "the '\(key)' of \(DurationText.format(limit)) is not longer than the "
        + "\(DurationText.format(gap.length)) between two slots",
      hint:
        "the job is stale before its next slot: write a longer one, and add the time that a run "
        + "takes", owner: raw.owner)
  }
}

/// A gap between two slots that has at least a given length.
struct SlotGap {
  /// Long enough for weekends and single holidays.
  private static let horizon = Duration.seconds(8 * 86_400)
  private static let samplesMax = 64
  private static let stepsMax = 300

  let length: Duration

  /// Nil if none is found quickly.
  init?(of schedule: Schedule, atLeast least: Duration, from start: WallInstant) {
    if schedule.rules.isEmpty, schedule.exclusions.isEmpty, schedule.calendars == nil,
      schedule.at.isEmpty
    {
      guard let interval = schedule.every?.interval, interval >= least else { return nil }
      length = interval
      return
    }
    let slots = Slots(schedule: schedule, origin: start)
    // One of these instants is in the first half of each such gap.
    var (before, instant) = (start, start)
    for _ in 0..<Self.samplesMax where instant - start <= Self.horizon {
      guard let next = slots.next(after: instant) else { return nil }
      if next - instant >= least / 2,
        let last = slots.last(from: before, until: instant), next - last >= least
      {
        length = next - last
        return
      }
      (before, instant) = (instant, instant + least / 2)
    }
    return nil
  }

  private struct Slots {
    let schedule: Schedule
    /// In place of the grid's anchor, which does not matter.
    let origin: WallInstant

    /// The last slot up to an instant; nil if unknown.
    func last(from start: WallInstant, until end: WallInstant) -> WallInstant? {
      var last: WallInstant?
      var instant = start.justBefore
      for _ in 0..<stepsMax {
        guard let next = next(after: instant), next <= end else { return last }
        (last, instant) = (next, next)
      }
      return nil
    }

    func next(after start: WallInstant) -> WallInstant? {
      var instant = start
      for _ in 0..<stepsMax {
        guard let next = candidate(after: instant) else { return nil }
        if let until = schedule.until, next > until { return nil }
        if !schedule.excludes(next) { return next }
        instant = max(next, schedule.exclusionEdge(after: next)?.justBefore ?? next)
      }
      return nil
    }

    private func candidate(after instant: WallInstant) -> WallInstant? {
      var candidates = schedule.rules.compactMap { $0.next(after: instant) }
      if let interval = schedule.every?.interval.milliseconds, interval > 0 {
        let passed = (instant - origin).milliseconds
        let count = passed < 0 ? 0 : passed / interval + 1
        candidates.append(origin + .milliseconds(count * interval))
      }
      if let at = schedule.at.first(where: { $0 > instant }) { candidates.append(at) }
      return candidates.min()
    }
  }
}
