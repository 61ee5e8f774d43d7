import TaktCore
import TaktTime

/// Reads the cron and calendar expressions of a job.
struct ClockRules {
  let reporter: Reporter
  let sources: LoadSources
  let zone: Zone
  let days: CronDayRule
  /// What the job says of clock changes; nil for each kind's own way.
  let dst: DSTPolicy?
  let raw: RawJob

  /// Those under `cron`; what is wrong is reported.
  func cron(_ field: KeyFields.Field) -> [ClockRule] { rules(of: field, isCron: true) }

  /// Those under `calendar`; what is wrong is reported.
  func calendar(_ field: KeyFields.Field) -> [ClockRule] { rules(of: field, isCron: false) }

  private func rules(of field: KeyFields.Field, isCron: Bool) -> [ClockRule] {
    let items = field.value?.list ?? []
    if items.count == 1 { return rule(items[0], isCron: isCron) }
    return items.flatMap { rule($0, isCron: isCron) }
  }

  /// The rule of one expression, or none.
  private func rule(_ item: KeyValue.Located, isCron: Bool) -> [ClockRule] {
    guard let text = item.value.text else { return [] }
    let question = RuleTable.Question(text: text, isCron: isCron, zone: zone, days: days, dst: dst)
    let known = sources.rules[question]
    // One that depends on the job's name is not asked for again.
    let now = question.isOfAnyJob ? sources.loadedAt : sources.now
    guard
      let answer = known
        ?? (isCron ? cron(text, item.mark, at: now) : calendar(text, item.mark, at: now))
    else { return [] }
    if known == nil { sources.rules[question] = answer }
    warn(of: answer.warnings, item.mark)
    if answer.isOver {
      reporter.report(
        .neverRuns, severity: .warning, at: item.mark, "'\(text.shortened)' never occurs again",
        hint: "all of its times are in the past", owner: raw.owner)
    }
    return answer.rules
  }

  private func cron(
    _ text: String, _ mark: YAMLMark, at now: WallInstant
  ) -> RuleTable.Answer? {
    let expression: CronExpression
    do throws(CronProblem) {
      expression = try CronExpression(text, seed: raw.name)
    } catch {
      reporter.report(
        error.sentence, error.hint, in: text, at: error.offset, mark, owner: raw.owner)
      return nil
    }
    let rule = ClockRule(.cron(expression, days: days), zone: zone, dst: dst ?? .cron)
    guard occurs(rule, mark) else { return nil }
    // Who means each minute, or each second, can write a range.
    let warnings = expression.warnings(days: days).filter { warning in
      switch warning {
      case .everyMinute: Self.hasStar(text, fromEnd: 5)
      case .everySecond: Self.hasStar(text, fromEnd: 6)
      case .unevenStep, .bothDayFields, .skippedTime: true
      }
    }
    return RuleTable.Answer(
      rules: [rule], warnings: warnings, isOver: rule.next(after: now) == nil)
  }

  private func warn(of warnings: [CronWarning], _ mark: YAMLMark) {
    for warning in warnings {
      // Who says what they mean together has thought of it.
      if case .bothDayFields = warning, raw.fields.has(.days) { continue }
      // One change of the clock concerns all jobs of a file alike.
      if case .skippedTime(_, let zone) = warning,
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
    if let name = expression.zoneName {
      guard let named = sources.zones.zone(named: name, at: mark, reporter) else { return nil }
      own = named
    }
    let rule = ClockRule(
      .calendar(expression), zone: own, dst: dst ?? DSTPolicy(gap: .skip, overlap: .first))
    guard occurs(rule, mark) else { return nil }
    // A time of `cron` runs right after the change; one of `calendar` is dropped.
    let skipped = dst == nil ? rule.droppedTime(after: now) : nil
    return RuleTable.Answer(
      rules: [rule], warnings: skipped.map { [$0] } ?? [],
      isOver: rule.next(after: now) == nil)
  }

  /// Whether the field that so many are left from, itself included, is a star; a year may follow five
  /// others.
  private static func hasStar(_ text: String, fromEnd count: Int) -> Bool {
    let fields = text.split(separator: " ")
    let place = fields.count == 7 ? 6 - count : fields.count - count
    return fields.indices.contains(place) && fields[place] == "*"
  }

  private func occurs(_ rule: ClockRule, _ mark: YAMLMark) -> Bool {
    if rule.next(after: WallInstant(milliseconds: 0)) != nil { return true }
    reporter.report(
      .neverRuns, at: mark, "'\(rule.text)' never occurs",
      hint: "no date matches all of its fields",
      owner: raw.owner)
    return false
  }
}
