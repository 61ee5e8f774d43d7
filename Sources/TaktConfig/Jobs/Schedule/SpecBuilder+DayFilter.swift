import TaktCore

extension SpecBuilder {
  /// The days on which times of `cron` and `calendar` apply.
  func dayFilter(of raw: RawJob) -> DayFilter {
    var filter = DayFilter(nth: nth(of: raw), workingDay: workingDay(of: raw))
    filter.holidays = holidays(of: raw)
    return filter
  }

  private func nth(of raw: RawJob) -> DayFilter.Nth? {
    guard let field = raw.fields[.nth], let fields = field.value?.object else { return nil }
    for key in [Key.every, Key.starting] where fields[key] == nil {
      reporter.report(
        .missingKey, at: field.mark, "'\(JobKey.nth)' has no '\(key)'",
        hint: "write \(JobKey.nth): {every: 2, starting: 2026-01-05}", owner: raw.owner)
    }
    guard let every = fields[Key.every]?.value?.integer, let starting = fields[Key.starting],
      let text = starting.value?.text
    else { return nil }
    guard let start = DayFilter.day(text) else {
      reporter.report(
        .badValue, at: starting.mark,
        "'\(Key.starting)' must be a date that exists, such as 2026-01-05, not '\(text.shortened)'",
        hint: text.contains(":") ? "the time of day is that of the expression" : nil,
        owner: KeyOwner(raw.owner, .nth))
      return nil
    }
    let unit = fields[Key.unit]?.value?.text.flatMap(DayFilter.Nth.Unit.init) ?? .weeks
    return DayFilter.Nth(every: every, unit: unit, start: start)
  }

  private func workingDay(of raw: RawJob) -> Int? {
    guard let field = raw.fields[.workingDay], var value = field.value else { return nil }
    if let fields = value.object {
      guard let day = fields[Key.day] else {
        reporter.report(
          .missingKey, at: field.mark, "'\(JobKey.workingDay)' has no '\(Key.day)'",
          hint: "write \(JobKey.workingDay): {day: last, except: holidays}", owner: raw.owner)
        return nil
      }
      guard let inner = day.value else { return nil }
      value = inner
    }
    switch value.text {
    case "first": return 1
    case "last": return -1
    default: break
    }
    guard let number = value.integer else { return nil }
    if number == 0 {
      reporter.report(
        .badValue, at: field.mark,
        "'\(JobKey.workingDay)' must be first, last, or a number that is not 0",
        hint: "1 is the first working day of the month, -1 the last", owner: raw.owner)
      return nil
    }
    if abs(number) > DayFilter.workingDaysMin {
      reporter.report(
        .suspicious, severity: .warning, at: field.mark,
        "some months have only \(DayFilter.workingDaysMin) working days",
        hint: "there is no slot in a month that has fewer than \(abs(number))", owner: raw.owner)
    }
    return number
  }
}
