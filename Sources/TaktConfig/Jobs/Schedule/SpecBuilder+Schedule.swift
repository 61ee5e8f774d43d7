import TaktCore
import TaktTime

extension SpecBuilder {
  func schedule(of raw: RawJob, _ settled: JobDefaults) -> Schedule {
    let fields = raw.fields
    let hasTrigger = Self.triggers.contains { fields.has($0) }
    if !hasTrigger, !fields.hasUnknownKeys {
      let names = Self.triggers.map { "'\($0)'" }
      reporter.report(
        .missingKey, at: raw.nameMark, "no trigger",
        hint: "add \(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1]); "
          + "'\(JobKey.on): \(Schedule.manualWord)' is for a job that only runs by hand",
        owner: raw.owner)
    }
    checkClockKeys(of: raw, settled)
    let zone = settled.zone ?? self.zone
    let exclusions = settled.exceptions.map {
      Exclusion($0.expression, isWholeDays: $0.isWholeDays, zone: $0.zone ?? zone)
    }
    let calendars = calendarRules(of: raw, settled, in: zone)
    let move = calendars?.move(beside: exclusions).map { Shared($0) }
    var schedule = Schedule(
      every: every(of: raw, settled, zone), rules: rules(of: raw, settled, zone, move),
      at: fields[.at]?.value?.list?.compactMap { instant($0, in: zone) } ?? [],
      on: [], after: followings(of: raw),
      afterAll: afterAll(of: raw), watch: watches(of: raw),
      notBefore: bound(.notBefore, of: raw, in: zone),
      until: bound(.until, of: raw, in: zone), limit: fields[.limit]?.value?.integer,
      exclusions: exclusions)
    if let calendars { schedule.calendars = calendars }
    if let on = fields[.on]?.value?.list { setLifecycleEvents(on, of: raw, in: &schedule) }
    checkBounds(schedule, of: raw)
    checkBoot(schedule, of: raw)
    return schedule
  }

  static let triggers: [JobKey] = [
    .every, .cron, .calendar, .rrule, .at, .after, .watch, .on,
  ]

  /// Keys that modify others, each with those of which it needs one.
  private static let needs: [(key: JobKey, triggers: [JobKey])] = [
    (.days, [.cron]), (.dst, [.cron, .calendar, .rrule, .align, .anchor]),
    (.nth, [.cron, .calendar]), (.workingDay, [.cron, .calendar]),
    (
      .timezone,
      [.cron, .calendar, .rrule, .align, .anchor, .at, .notBefore, .until, .except, .onlyOn]
    ),
  ]

  /// Reports a key of the job without anything to modify.
  private func checkClockKeys(of raw: RawJob, _ settled: JobDefaults) {
    guard !raw.fields.hasUnknownKeys else { return }
    for (key, triggers) in Self.needs {
      guard let field = raw.fields[key], field.value?.isNull == false,
        !triggers.contains(where: { isUsed($0, by: key, raw) }),
        // Those of `defaults` are read in the job's zone, too.
        key != .timezone
          || (settled.exceptions.isEmpty && settled.calendars == nil && settled.lateTimes == nil)
      else { continue }
      let wanted = triggers.map { "'\($0)'" }.joined(separator: " or ")
      reporter.report(
        .missingKey, at: field.keyMark, "'\(key)' needs \(wanted)",
        hint: "add it, or remove '\(key)'", owner: raw.owner)
    }
  }

  /// True if the job has a trigger that `key` modifies.
  private func isUsed(_ trigger: JobKey, by key: JobKey, _ raw: RawJob) -> Bool {
    guard let field = raw.fields[trigger], field.value?.isNull == false else { return false }
    if trigger == .align { return field.value?.text == "local" }
    // A date is one instant, regardless of later clock changes.
    if trigger == .anchor, key == .dst { return field.value?.text?.contains("-") == false }
    return true
  }

  private func rules(
    of raw: RawJob, _ settled: JobDefaults, _ zone: Zone, _ move: Shared<DayMove>?
  ) -> [ClockRule] {
    var filter = dayFilter(of: raw)
    filter.move = move
    let clockRules = ClockRules(
      reporter: reporter, sources: sources, zone: zone, days: settled.days,
      dst: DSTChoice(gap: settled.dstGap, overlap: settled.dstOverlap),
      filter: filter, raw: raw)
    let lists = [
      raw.fields[.cron].map(clockRules.cron), raw.fields[.calendar].map(clockRules.calendar),
      raw.fields[.rrule].map(clockRules.rrule),
    ].compactMap(\.self)
    let grid = localGrid(of: raw, settled, zone).flatMap { clockRules.moved($0, raw.nameMark) }
    // A list that is not joined with another keeps its storage, which jobs with the same text share.
    return lists.count == 1 && grid == nil
      ? lists[0] : lists.flatMap(\.self) + [grid].compactMap(\.self)
  }

  private func every(of raw: RawJob, _ settled: JobDefaults, _ zone: Zone) -> Every? {
    let fields = raw.fields
    let (first, from, align) = (fields[.first], fields[.from], fields[.align])
    let phase = fields[.phase]
    guard let every = fields[.every] else {
      for field in [first, from, align, fields[.anchor], phase].compactMap(\.self)
      where !fields.hasUnknownKeys {
        reporter.report(
          .missingKey, at: field.keyMark, "'\(field.name)' needs '\(JobKey.every)'",
          hint: "add it, or remove '\(field.name)'", owner: raw.owner)
      }
      return nil
    }
    if fields.has(.anchor) { return anchored(every, of: raw, in: zone) }
    var origin = from?.value?.text == "end" ? Every.Origin.end : .start
    if let align {
      for other in [origin == .end ? from : nil, first].compactMap(\.self) {
        reporter.report(
          .conflictingKeys, at: max(align.keyMark, other.keyMark),
          other.name == JobKey.from.name
            ? "'\(JobKey.align)' and '\(JobKey.from): end' cannot be combined"
            : "'\(JobKey.align)' and '\(JobKey.first)' cannot be combined",
          hint: "remove one of them", owner: raw.owner)
      }
      origin = .epoch
    } else if isShared(raw, settled) {
      if checkShared(raw), origin != .end { origin = .epoch }
    }
    if let phase, origin != .start {
      let isForCluster = origin == .epoch && align == nil
      let other =
        switch origin {
        case .end: "\(JobKey.from): end"
        case _ where isForCluster: "\(Key.scheduler).\(Key.cluster)"
        case .epoch, .start: JobKey.align.name
        }
      reporter.report(
        .conflictingKeys, at: phase.keyMark, "'\(JobKey.phase)' has no effect with '\(other)'",
        hint: isForCluster ? "remove it: \(Self.fromEpoch)" : "remove it", owner: raw.owner)
    }
    guard let interval = every.value?.duration, align?.value?.text != "local" else { return nil }
    let delay: Duration? = first?.value?.text == "now" ? .zero : first?.value?.duration
    var settled = Every(interval, from: origin, first: origin == .epoch ? nil : delay)
    settled.phase = phase?.value?.text.flatMap(Every.Phase.init) ?? .keep
    return settled
  }

  func instant(_ located: KeyValue.Located, in zone: Zone) -> WallInstant? {
    guard case .instant(let text) = located.value else { return nil }
    if let instant = text.instant { return instant }
    switch zone.read(text.civil) {
    case .once(let instant): return inRange(instant, at: located.mark)
    case .skipped(let next):
      reporter.report(
        .ambiguousTime, severity: .warning, at: located.mark,
        "this time does not exist in \(zone.name) (clocks go forward); takt uses "
          + "\(next.rfc3339(in: zone))",
        hint: "write another time, or add an offset")
      return inRange(next, at: located.mark)
    case .twice(let first, let second):
      reporter.report(
        .ambiguousTime, severity: .warning, at: located.mark,
        "this time occurs twice in \(zone.name) (clocks go back); takt uses the first, "
          + "\(first.rfc3339(in: zone))",
        hint: "add an offset; the second is \(second.rfc3339(in: zone))")
      return inRange(first, at: located.mark)
    }
  }

  /// In a zone east of Greenwich, the first hours of 1970 can be before the epoch.
  private func inRange(_ instant: WallInstant, at mark: YAMLMark) -> WallInstant? {
    if instant.milliseconds >= 0 { return instant }
    reporter.report(.outOfRange, at: mark, "this time is before 1970-01-01T00:00Z")
    return nil
  }
}
