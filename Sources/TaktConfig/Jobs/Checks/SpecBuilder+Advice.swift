import TaktCore
import TaktTime

/// Warnings of jobs whose keys are valid, but probably not intended.
extension SpecBuilder {
  /// With less, no program reaches its first line.
  private static let memoryLeastBytes = 4 << 20
  private static let descriptorsLeast = 4

  func warn(of raw: RawJob, _ settled: JobDefaults, schedule: Schedule, action: Action) {
    warnOfPastInstants(of: raw, schedule)
    warnOfEmptySchedule(schedule, of: raw)
    warnOfLongRuns(settled, schedule: schedule, of: raw)
    warnOfLimits(of: raw)
    warnOfCommands(of: raw)
    warnOfProxyUser(of: raw, settled)
    guard sources.machineFiles != nil else { return }
    lookForFiles(of: raw, settled, action)
    warnOfSizes(of: raw, settled)
    warnOfAddressSpace(of: raw, settled)
    warnOfUnexpanded(of: raw)
    warnOfBackground(of: raw, settled)
    warnOfTimings(of: raw, settled, schedule: schedule)
    warnOfFreshness(of: raw, settled, schedule: schedule)
    warnOfOwnWatches(of: raw, settled, schedule: schedule)
  }

  /// Reports bounds without a slot between them, and exclusions that leave none.
  private func warnOfEmptySchedule(_ schedule: Schedule, of raw: RawJob) {
    let hasHolidays = schedule.rules.contains { $0.expression.filter?.holidays != nil }
    let hasExclusions = !schedule.exclusions.isEmpty || schedule.calendars != nil
    let isExcluding = hasExclusions || hasHolidays
    guard schedule.until != nil || isExcluding, !schedule.hasUnforeseen,
      // Then the content of a calendar is unknown.
      !isExcluding || !sources.calendarFiles.hasFailed,
      schedule.until.map({ $0 >= sources.now }) ?? true
    else { return }
    let start = max(schedule.notBefore ?? sources.now, sources.now)
    var bare = schedule
    bare.exclusions = []
    bare.calendars = nil
    if isExcluding { bare.rules = bare.rules.map(\.withoutCalendars) }
    switch FirstSlot(of: bare, from: start).result {
    case .none where schedule.until != nil:
      reporter.report(
        .neverRuns, severity: .warning, at: raw.fields[.until]?.mark ?? raw.nameMark,
        schedule.notBefore == nil
          ? "there is no slot before '\(JobKey.until)'"
          : "there is no slot between '\(JobKey.notBefore)' and '\(JobKey.until)'",
        hint: "change the bounds or the schedule; 'takt explain' lists its times", owner: raw.owner)
    case .some where isExcluding:
      guard case .none = FirstSlot(of: schedule, from: start).result else { return }
      let onlyOn = schedule.calendars?.hasOnlyOn == true
      let keys =
        if onlyOn {
          schedule.exclusions.isEmpty && schedule.calendars?.except.isEmpty == true
            ? "'\(JobKey.onlyOn)' leaves" : "'\(JobKey.except)' and '\(JobKey.onlyOn)' leave"
        } else {
          hasExclusions
            ? "'\(JobKey.except)' leaves" : "'\(JobKey.except)' of '\(JobKey.workingDay)' leaves"
        }
      reporter.report(
        .neverRuns, severity: .warning,
        at: (raw.fields[.except] ?? raw.fields[.onlyOn] ?? raw.fields[.workingDay])?.mark
          ?? raw.nameMark,
        "\(keys) out every slot of the next \(FirstSlot.years) years",
        hint: onlyOn
          ? "name days on which the schedule has times"
          : "name fewer days, such as \(JobKey.except): Sat,Sun", owner: raw.owner)
    case .none, .some, .unknown: break
    }
  }

  private func warnOfLimits(of raw: RawJob) {
    guard let limits = raw.fields[.limits]?.value?.object else { return }
    if let field = limits["memory"], let bytes = field.value?.integer, bytes < Self.memoryLeastBytes
    {
      reporter.report(
        .suspicious, severity: .warning, at: field.mark,
        "no program starts with \(SizeText.format(bytes)) of memory",
        hint:
          "write at least \(SizeText.format(Self.memoryLeastBytes)); a shell with a few commands "
          + "needs about 32MB", owner: KeyOwner(raw.owner, .limits))
    }
    if let field = limits["files"], let count = field.value?.integer, count < Self.descriptorsLeast
    {
      reporter.report(
        .suspicious, severity: .warning, at: field.mark,
        "no program starts with \(count) open file descriptor\(count == 1 ? "" : "s")",
        hint: "write at least 16", owner: KeyOwner(raw.owner, .limits))
    }
  }
}

/// The first slot that the clock triggers, as far as it can be found quickly.
struct FirstSlot {
  enum Result {
    case some
    case none
    case unknown
  }

  static let years = 4
  private static let stepsMax = 2000
  /// Each step asks each event of the calendars, some of which take as long as a step.
  private static let eventsMax = 50_000

  let result: Result

  init(of schedule: Schedule, from start: WallInstant) {
    let horizon = start + .seconds(Self.years * 366 * 86_400)
    let end = min(schedule.until ?? horizon, horizon)
    var instant = start.justBefore
    let calendars = schedule.calendars.map { $0.except + $0.onlyOn } ?? []
    let events = calendars.reduce(1) { $0 + $1.content.events.count }
    for _ in 0..<min(Self.stepsMax, Self.eventsMax / events) {
      guard let next = Self.next(of: schedule, after: instant, end: end) else {
        result = .none
        return
      }
      guard schedule.excludes(next) else {
        result = .some
        return
      }
      instant = schedule.exclusionEdge(after: next)?.justBefore ?? end
      instant = max(instant, next)
    }
    result = .unknown
  }

  /// The next instant of a trigger; for a grid with an unknown anchor, any instant.
  private static func next(
    of schedule: Schedule, after instant: WallInstant, end: WallInstant
  ) -> WallInstant? {
    var candidates = schedule.rules.compactMap { $0.next(after: instant) }
    if schedule.every != nil { candidates.append(instant + .milliseconds(1)) }
    if let at = schedule.at.first(where: { $0 > instant }) { candidates.append(at) }
    return candidates.min().flatMap { $0 <= end ? $0 : nil }
  }
}
