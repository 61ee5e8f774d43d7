import TaktCore
import TaktTime

/// Reads the cron and calendar expressions of a job.
struct ClockRules {
  let reporter: Reporter
  let zones: ZoneTable
  let zone: Zone
  let days: CronDayRule
  /// What the job says of clock changes; nil for each kind's own way.
  let dst: DSTPolicy?
  let raw: RawJob
  /// From when on clock changes are looked for.
  let now: WallInstant

  /// Those under `cron`, or under `calendar`; what is wrong is reported.
  func rules(under key: JobKey) -> [ClockRule] {
    (raw.fields[key]?.value?.list ?? []).compactMap {
      key == .cron ? cron($0) : calendar($0)
    }
  }

  private func cron(_ item: KeyValue.Located) -> ClockRule? {
    guard let text = item.value.text else { return nil }
    let expression: CronExpression
    do throws(CronProblem) {
      expression = try CronExpression(text, seed: raw.name)
    } catch {
      reporter.report(
        error.sentence, error.hint, in: text, at: error.offset, item.mark, owner: raw.owner)
      return nil
    }
    let rule = ClockRule(.cron(expression, days: days), zone: zone, dst: dst ?? .cron)
    guard occurs(rule, item.mark) else { return nil }
    var warnings = expression.warnings(days: days)
    if raw.fields[.days] != nil {
      // Who says what they mean together has thought of it.
      warnings.removeAll { if case .bothDayFields = $0 { true } else { false } }
    }
    if dst == nil,
      let skipped = expression.skippedTime(after: now, in: zone, days: days, dst: rule.dst)
    {
      warnings.append(skipped)
    }
    for warning in warnings {
      reporter.report(
        .suspicious, severity: .warning, at: item.mark, warning.sentence, hint: warning.hint,
        owner: raw.owner)
    }
    return rule
  }

  private func calendar(_ item: KeyValue.Located) -> ClockRule? {
    guard let text = item.value.text else { return nil }
    let expression: CalendarExpression
    do throws(CalendarProblem) {
      expression = try CalendarExpression(text)
    } catch {
      reporter.report(
        error.sentence, error.hint, in: text, at: error.offset, item.mark, owner: raw.owner)
      return nil
    }
    var own = zone
    if let name = expression.zoneName {
      guard let named = zones.zone(named: name, at: item.mark, reporter) else { return nil }
      own = named
    }
    let rule = ClockRule(
      .calendar(expression), zone: own, dst: dst ?? DSTPolicy(gap: .skip, overlap: .first))
    return occurs(rule, item.mark) ? rule : nil
  }

  private func occurs(_ rule: ClockRule, _ mark: YAMLMark) -> Bool {
    if rule.next(after: WallInstant(milliseconds: 0)) != nil { return true }
    reporter.report(
      .neverRuns, at: mark, "'\(rule.text)' never occurs", hint: "no day fits all of its fields",
      owner: raw.owner)
    return false
  }
}
