import TaktTime

extension CalendarExpression {
  /// Likely mistakes, apart from clock changes. A date of certain years is intended.
  package var warnings: [CronWarning] {
    years.isEmpty ? [hourWarning, dayWarning].compactMap(\.self) : []
  }

  /// A star for the minutes of single hours.
  private var hourWarning: CronWarning? {
    let mask = Self.mask(hours, in: .hour)
    guard minutes.isEmpty, seconds == [CalendarTerm(0)], CronExpression.hasLoneHour(mask) else {
      return nil
    }
    return .everyMinute(hours: CronExpression.values(mask, .hour), isCron: false)
  }

  private var dayWarning: CronWarning? {
    guard weekdays == 0, !days.isEmpty, !isFromMonthEnd else { return nil }
    var cron = CronDays()
    cron.isAnyDayOfWeek = true
    cron.daysOfMonth = UInt32(truncatingIfNeeded: Self.mask(days, in: .day))
    return cron.warning(
      in: months.isEmpty ? CronExpression.allMonths : Self.mask(months, in: .month),
      hasStep: days.contains { $0.step > 1 }, last: "*-*~1")
  }

  private static func mask(_ terms: [CalendarTerm], in unit: CalendarUnit) -> UInt64 {
    unit.values.reduce(0) { mask, value in
      terms.contains { $0.first(from: value) == value } ? mask | 1 << UInt64(value) : mask
    }
  }
}

extension Recurrence {
  /// Likely mistakes in its days of the month, such as that of its first time.
  package var dayWarning: CronWarning? {
    guard let rule, rule.end == .never, rule.positions.isEmpty else { return nil }
    let days = rule.days
    guard days.monthDays != 0 || days.lastMonthDays != 0, days.yearDays.isEmpty,
      days.weeks | days.lastWeeks == 0, days.weekdays == 0, days.nthWeekdays.isEmpty
    else { return nil }
    var cron = CronDays()
    cron.isAnyDayOfWeek = true
    cron.daysOfMonth = days.monthDays
    cron.daysBeforeLast = days.lastMonthDays >> 1
    return cron.warning(in: rule.monthsWithDays, hasStep: false, last: "BYMONTHDAY=-1")
  }
}

extension RecurrenceRule {
  /// The months whose days count, as bits 1 to 12; none if that is not obvious.
  fileprivate var monthsWithDays: UInt64 {
    let named = days.months == 0 ? CronExpression.allMonths : UInt64(days.months)
    switch frequency {
    case .monthly:
      let first = CivilTime(epochSeconds: start).month - 1
      return named
        & (0..<12).reduce(0) { mask, count in
          mask | 2 << UInt64((first + count * (interval % 12)) % 12)
        }
    case .yearly: return interval == 1 ? named : 0
    case .weekly, .daily, .hourly, .minutely, .secondly: return 0
    }
  }
}
