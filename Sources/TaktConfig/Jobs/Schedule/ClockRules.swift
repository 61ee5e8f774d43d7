import TaktCore
import TaktTime

/// Reads the cron and calendar expressions and the recurrences of a job.
struct ClockRules {
  let reporter: Reporter
  let sources: LoadSources
  let zone: Zone
  let days: CronDayRule
  let dst: DSTChoice
  /// The days on which cron and calendar expressions apply.
  let filter: DayFilter
  let raw: RawJob

  func cron(_ field: KeyFields.Field) -> [ClockRule] { rules(of: field, .cron) }

  func calendar(_ field: KeyFields.Field) -> [ClockRule] { rules(of: field, .calendar) }

  func rrule(_ field: KeyFields.Field) -> [ClockRule] { rules(of: field, .rrule) }

  private func rules(of field: KeyFields.Field, _ kind: RuleTable.Question.Kind) -> [ClockRule] {
    let items = field.value?.list ?? []
    if items.count == 1 { return rule(items[0], kind) }
    return items.flatMap { rule($0, kind) }
  }

  private func rule(_ item: KeyValue.Located, _ kind: RuleTable.Question.Kind) -> [ClockRule] {
    guard let text = item.value.text else { return [] }
    let question = RuleTable.Question(
      text: text, kind: kind, zone: zone, days: days, dst: dst, filter: filter)
    let known = sources.rules[question]
    // `now` makes the job volatile: an answer that depends on its name is not verified later.
    let now = question.isOfAnyJob ? sources.loadedAt : sources.now
    guard let answer = known ?? read(text, kind, item.mark, at: now) else { return [] }
    if known == nil { sources.rules[question] = answer }
    warn(of: answer.warnings, item.mark)
    if answer.isOver {
      reporter.report(
        .neverRuns, severity: .warning, at: item.mark, "'\(text.shortened)' never occurs again",
        hint: "all of its times are in the past", owner: raw.owner)
    }
    return answer.rules
  }

  private func read(
    _ text: String, _ kind: RuleTable.Question.Kind, _ mark: YAMLMark, at now: WallInstant
  ) -> RuleTable.Answer? {
    switch kind {
    case .cron: cron(text, mark, at: now)
    case .calendar: calendar(text, mark, at: now)
    case .rrule: rrule(text, mark, at: now)
    }
  }

  private func rrule(_ text: String, _ mark: YAMLMark, at now: WallInstant) -> RuleTable.Answer? {
    let read: (recurrence: Recurrence, zoneName: String?)
    do throws(RecurrenceProblem) {
      read = try Recurrence.read(text) { name in
        guard let name else { return zone }
        return sources.zones.zone(ofIdentifier: name) ?? sources.zones.zone(named: name)
      }
    } catch {
      if case .unknownZone(let name) = error.reason {
        _ = sources.zones.zone(named: name, at: mark, reporter)
      } else {
        reporter.report(
          error.sentence, error.hint, in: text, at: error.offset, mark, owner: raw.owner)
      }
      return nil
    }
    var own = zone
    if let name = read.zoneName {
      guard let named = sources.zones.zone(ofIdentifier: name, at: mark, reporter) else {
        return nil
      }
      own = named
    }
    guard mayMove(in: own, text, mark) else { return nil }
    let rule = ClockRule(
      .recurrence(Shared(read.recurrence)).filtered(on: moveOnly), zone: own,
      dst: dst.policy(own: read.recurrence.ownDST))
    guard occurs(rule, mark) else { return nil }
    return RuleTable.Answer(
      rules: [rule], warnings: [read.recurrence.dayWarning].compactMap(\.self),
      isOver: isOver(rule, at: now))
  }

  private func cron(_ text: String, _ mark: YAMLMark, at now: WallInstant) -> RuleTable.Answer? {
    let expression: CronExpression
    do throws(CronProblem) {
      expression = try CronExpression(text, seed: raw.name)
    } catch {
      reporter.report(
        error.sentence, error.hint, in: text, at: error.offset, mark, owner: raw.owner)
      return nil
    }
    let rule = ClockRule(
      .cron(expression, days: days).filtered(on: filter), zone: zone,
      dst: dst.policy(own: expression.ownDST))
    guard occurs(rule, mark) else { return nil }
    // For each minute or second, `0-59` shows intent; a star does not.
    let hasDayStep = Self.hasDayStep(text)
    var warnings = expression.warnings(days: days, hasDayStep: hasDayStep).filter { warning in
      switch warning {
      case .everyMinute, .everyMinuteOfDays: Self.hasStar(text, fromEnd: 5)
      case .everySecond: Self.hasStar(text, fromEnd: 6)
      case .unevenStep(let field, _, _): !Self.wraps(text, field)
      case .dayStep, .rareDay, .fifthWeekdays, .bothDayFields, .starDayField, .skippedTime: true
      }
    }
    if !dst.isMade, let skipped = rule.droppedTime(after: now) { warnings.append(skipped) }
    return RuleTable.Answer(
      rules: [rule], warnings: warnings, isOver: isOver(rule, at: now))
  }

  /// A grid of local times, moved off excluded days if the job asks for it; nil if nothing is left
  /// of it.
  func moved(_ grid: ClockRule, _ mark: YAMLMark) -> ClockRule? {
    guard filter.move != nil else { return grid }
    let rule = ClockRule(
      grid.expression.filtered(on: moveOnly), zone: grid.zone, dst: grid.dst)
    return occurs(rule, mark) ? rule : nil
  }

  private var moveOnly: DayFilter {
    var filter = DayFilter()
    filter.move = self.filter.move
    return filter
  }

  /// Excluded days are in the job's zone.
  private func mayMove(in zone: Zone, _ text: String, _ mark: YAMLMark) -> Bool {
    guard let move = filter.move, zone != self.zone else { return true }
    reporter.report(
      .conflictingKeys, at: mark,
      "'\(text.shortened)' is in \(zone.name), so '\(JobKey.onExcluded): "
        + "\(move.value.direction.rawValue)' cannot move it by the days of \(self.zone.name)",
      hint: "set '\(JobKey.timezone)' instead of the zone in it", owner: raw.owner)
    return false
  }

  private func warn(of warnings: [CronWarning], _ mark: YAMLMark) {
    for warning in warnings {
      // With `days`, the combination is intended.
      switch warning {
      case .bothDayFields, .starDayField: if raw.fields.has(.days) { continue }
      case .unevenStep, .everyMinute, .everyMinuteOfDays, .everySecond, .dayStep, .rareDay,
        .fifthWeekdays, .skippedTime:
        break
      }
      // A clock change affects all jobs of a file alike.
      if case .skippedTime(_, let zone, _) = warning,
        !sources.isNews(ofClockChangeIn: zone, file: reporter.source.file)
      {
        continue
      }
      reporter.report(
        .suspicious, severity: .warning, at: mark, warning.sentence, hint: warning.hint)
    }
  }

  private func calendar(
    _ text: String, _ mark: YAMLMark, at now: WallInstant
  ) -> RuleTable.Answer? {
    let expression: CalendarExpression
    do throws(CalendarProblem) {
      expression = try CalendarExpression(text)
    } catch {
      reporter.report(
        error.sentence, error.hint, in: text, at: error.offset, mark, owner: raw.owner)
      return nil
    }
    var own = zone
    for name in expression.zoneNames(writtenIn: text) {
      guard let named = sources.zones.zone(named: name, at: mark, reporter) else { return nil }
      own = named
    }
    guard mayMove(in: own, text, mark) else { return nil }
    let rule = ClockRule(
      .calendar(expression).filtered(on: filter), zone: own,
      dst: dst.policy(own: DSTPolicy(gap: .skip)))
    guard occurs(rule, mark) else { return nil }
    // A time of `cron` runs right after the change; one of `calendar` is dropped.
    var warnings = expression.warnings
    if !dst.isMade, let skipped = rule.droppedTime(after: now) { warnings.append(skipped) }
    return RuleTable.Answer(
      rules: [rule], warnings: warnings, isOver: isOver(rule, at: now))
  }

  /// True if the field at this place from the end, counted from 1, is a star.
  private static func hasStar(_ text: String, fromEnd count: Int) -> Bool {
    field(of: text, fromEnd: count).map { $0 == "*" || $0 == "*/1" } ?? false
  }

  /// True if the days of the month have a step, and none starts at a place derived from the job's
  /// name.
  private static func hasDayStep(_ text: String) -> Bool {
    guard let days = field(of: text, fromEnd: 3) else { return false }
    return days.contains("/") && !days.contains { "hH".contains($0) }
  }

  /// True if a range in a field wraps round its end, as `22-2` does: its step continues there.
  private static func wraps(_ text: String, _ field: CronField) -> Bool {
    let counts: [CronField: Int] = [.second: 6, .minute: 5, .hour: 4, .month: 2]
    guard let count = counts[field], let text = self.field(of: text, fromEnd: count) else {
      return false
    }
    return text.split(separator: ",").contains { part in
      let ends = part.prefix { $0 != "/" }.split(separator: "-").map { Int($0) }
      guard ends.count == 2, let first = ends[0], let last = ends[1] else { return false }
      return first > last
    }
  }

  /// The field at this place from the end, counted from 1; a year may follow five others.
  private static func field(of text: String, fromEnd count: Int) -> Substring? {
    let fields = text.split(separator: " ")
    let place = fields.count == 7 ? 6 - count : fields.count - count
    return fields.indices.contains(place) ? fields[place] : nil
  }

  /// True if all of its times are in the past, even without exclusions.
  private func isOver(_ rule: ClockRule, at now: WallInstant) -> Bool {
    rule.next(after: now) == nil && rule.withoutCalendars.next(after: now) == nil
  }

  private func occurs(_ rule: ClockRule, _ mark: YAMLMark) -> Bool {
    let start = WallInstant(milliseconds: 0)
    if rule.next(after: start) != nil { return true }
    // Slots lost to exclusions are a warning of the whole job.
    if rule.expression.filter?.move?.value.only == nil,
      rule.withoutCalendars != rule, rule.withoutCalendars.next(after: start) != nil
    {
      return true
    }
    let isBeyond =
      if case .cron(let cron, _) = rule.expression.unfiltered { cron.isBeyondSearch } else { false }
    var reason: String?
    if case .recurrence(let recurrence) = rule.expression.unfiltered,
      recurrence.value.next(after: start, in: rule.zone, dst: rule.dst) == nil
    {
      reason = recurrence.value.reasonForNone(in: rule.zone, dst: rule.dst)
    }
    let hint =
      switch rule.expression {
      case .cron, .calendar: "no date matches all of its fields"
      case .recurrence where reason != nil, .filtered where reason != nil: reason
      case .recurrence: "no date matches all of its parts"
      case .grid: "its times are all in the past"
      case .filtered(let filtered) where filtered.value.filter.move != nil:
        "'\(JobKey.except)' and '\(JobKey.onlyOn)' leave no day for it"
      case .filtered: "no date matches it and '\(JobKey.nth)' or '\(JobKey.workingDay)'"
      }
    reporter.report(
      .neverRuns, at: mark,
      isBeyond
        ? "'\(rule.text.shortened)' never occurs before \(CronExpression.yearMax + 1)"
        : "'\(rule.text.shortened)' never occurs",
      hint: isBeyond
        ? "takt's clock ends in \(CronExpression.yearMax): write an earlier year" : hint,
      owner: raw.owner)
    return false
  }
}
