import TaktCore
import TaktTime

/// Shared calendars of a job: exclusions, and the destinations of moved slots.
extension SpecBuilder {
  /// The job's rules about calendars; nil for none.
  func calendarRules(of raw: RawJob, _ settled: JobDefaults, in zone: Zone) -> CalendarRules? {
    guard let choice = settled.calendars?.value else {
      checkOnExcluded(of: raw, settled)
      return nil
    }
    var rules = rules(of: choice, in: zone)
    checkOnExcluded(of: raw, settled)
    let leavesOut = !rules.isEmpty || !settled.exceptions.isEmpty
    if leavesOut, Self.movable.contains(where: { isMovable($0, raw) }) {
      rules.direction = choice.direction
      if !checkDays(of: rules, settled, of: raw) { rules.direction = nil }
    }
    return rules.isEmpty && rules.direction == nil ? nil : rules
  }

  private func rules(of choice: CalendarChoice, in zone: Zone) -> CalendarRules {
    var rules = CalendarRules(in: zone)
    rules.except = choice.except.map { sources.calendarFiles.calendar($0, in: zone) }
    rules.onlyOn = choice.onlyOn.map { sources.calendarFiles.calendar($0, in: zone) }
    rules.onlyOnTimes = choice.onlyOnTimes.map {
      Exclusion($0.expression, isWholeDays: $0.isWholeDays, zone: $0.zone ?? zone)
    }
    return rules
  }

  /// Sets the only times at which the job's slots may start late, in its zone.
  func setLateTimes(of raw: RawJob, in settled: inout JobDefaults) {
    guard let choice = settled.lateTimes?.value else { return }
    let times = rules(of: choice, in: settled.zone ?? zone)
    settled.policies.missed.times = Shared(times)
    let field = raw.fields[.missed]?.value?.object?[JobKey.onlyOn.name]
    guard settled.policies.missed.choice == .skip else {
      warn(ofLateTimes: times, at: field?.mark ?? raw.nameMark, raw)
      return
    }
    guard let field else { return }
    reporter.report(
      .conflictingKeys, severity: .warning, at: field.keyMark,
      "'\(JobKey.onlyOn)' has no effect with 'policy: skip', because no slot runs late",
      hint: "remove one of them", owner: KeyOwner(raw.owner, .missed))
  }

  /// Reports times that do not come again: a missed slot waits for them, and expires.
  private func warn(ofLateTimes times: CalendarRules, at mark: YAMLMark, _ raw: RawJob) {
    guard !sources.calendarFiles.hasFailed else { return }
    var schedule = Schedule(every: Every(.milliseconds(1)))
    schedule.calendars = times
    guard case .none = FirstSlot(of: schedule, from: sources.now).result else { return }
    reporter.report(
      .neverRuns, severity: .warning, at: mark,
      "'\(JobKey.onlyOn)' names no time of the next \(FirstSlot.years) years, so no slot runs late",
      hint: "name times to come, or write 'policy: skip'", owner: KeyOwner(raw.owner, .missed))
  }

  private static let movable: [JobKey] = [.cron, .calendar, .rrule, .align, .anchor]

  /// True if a key gives the job times of the clock, which have a day.
  private func isMovable(_ key: JobKey, _ raw: RawJob) -> Bool {
    guard let value = raw.fields[key]?.value else { return false }
    if key == .align { return value.text == "local" }
    return key != .anchor || value.text?.contains("-") == false
  }

  /// Reports a key of the job without anything to modify.
  private func checkOnExcluded(of raw: RawJob, _ settled: JobDefaults) {
    guard let field = raw.fields[.onExcluded], let word = field.value?.text,
      !raw.fields.hasUnknownKeys
    else { return }
    let choice = settled.calendars?.value ?? CalendarChoice()
    let fields = [JobKey.except, .onlyOn].compactMap { raw.fields[$0] }
    if choice.except.isEmpty, choice.onlyOn.isEmpty, choice.onlyOnTimes.isEmpty,
      settled.exceptions.isEmpty, fields.allSatisfy({ $0.value?.isNull == true })
    {
      reporter.report(
        .missingKey, at: field.keyMark,
        "'\(JobKey.onExcluded)' needs '\(JobKey.except)' or '\(JobKey.onlyOn)'",
        hint: "add it, or remove '\(JobKey.onExcluded)'", owner: raw.owner)
    } else if word != Self.skip, !Self.movable.contains(where: { isMovable($0, raw) }) {
      reporter.report(
        .missingKey, at: field.keyMark,
        "'\(JobKey.onExcluded): \(word)' needs '\(JobKey.cron)', '\(JobKey.calendar)', "
          + "'\(JobKey.rrule)', '\(JobKey.align): local' or '\(JobKey.anchor)' with a time of day",
        hint: "only times of the clock have a day from which they can move", owner: raw.owner)
    }
  }

  static let skip = "skip"

  /// If slots move, all days must be in one zone, and there must be some.
  private func checkDays(of rules: CalendarRules, _ settled: JobDefaults, of raw: RawJob) -> Bool {
    guard let direction = rules.direction else { return true }
    let mark =
      (raw.fields[.onExcluded] ?? raw.fields[.except] ?? raw.fields[.onlyOn])?.mark ?? raw.nameMark
    let isElsewhere =
      (rules.except + rules.onlyOn).contains { $0.namesDays(elsewhereThan: rules.zone) }
      || settled.exceptions.contains { $0.isWholeDays && $0.zone ?? rules.zone != rules.zone }
      || rules.onlyOnTimes.contains { $0.isWholeDays && $0.zone != rules.zone }
    if isElsewhere {
      reporter.report(
        .conflictingKeys, at: mark,
        "with '\(JobKey.onExcluded): \(direction.rawValue)', excluded days cannot have a time zone of "
          + "their own", hint: "remove the zone from the expressions, or set '\(JobKey.timezone)'",
        owner: raw.owner)
    }
    let hasDays =
      rules.onlyOn.contains(where: \.hasDays) || rules.onlyOnTimes.contains(where: \.isWholeDays)
      || sources.calendarFiles.hasFailed
    if rules.hasOnlyOn, !hasDays {
      reporter.report(
        .conflictingKeys, at: mark,
        "'\(JobKey.onExcluded): \(direction.rawValue)' needs whole days in '\(JobKey.onlyOn)'",
        hint: "times of a day cannot be moved to", owner: raw.owner)
    }
    return !isElsewhere && (hasDays || !rules.hasOnlyOn)
  }

  /// The calendars whose days are not working days.
  func holidays(of raw: RawJob) -> Shared<DaySet>? {
    guard let field = raw.fields[.workingDay], let fields = field.value?.object,
      let names = fields[JobKey.except.name]?.value?.list
    else { return nil }
    var calendars: [SharedCalendar] = []
    let owner = KeyOwner(raw.owner, .workingDay)
    for item in names {
      guard let name = item.value.text else { continue }
      guard let calendar = file.calendars[name] else {
        reporter.reportNoCalendar(name, at: item.mark, among: file.calendars, owner: owner)
        continue
      }
      if !calendar.isEmpty, !calendar.hasDays {
        reporter.report(
          .suspicious, severity: .warning, at: item.mark,
          "the calendar '\(name)' names no whole day, so all of its days are working days",
          owner: owner)
      }
      if !calendars.contains(calendar) { calendars.append(calendar) }
    }
    return calendars.isEmpty ? nil : Shared(DaySet(calendars))
  }
}
