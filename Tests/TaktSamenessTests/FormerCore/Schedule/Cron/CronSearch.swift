import TaktTime

/// Finds the local times of a cron expression, without regard to any zone.
///
/// Times are seconds since 1970-01-01T00:00:00 as if the zone were UTC. It goes from field to
/// field by bits and never step by step through minutes or seconds.
struct CronSearch: LocalSearch {
  static let ticksPerSecond: Int64 = 1

  let expression: CronExpression
  let rule: CronDayRule

  /// The last year an instant of the type can stand in.
  private static let yearMax = 2261
  /// A day of the year falls on each weekday at least once in so many years, also round a
  /// century without its leap day.
  private static let yearsMax = 44

  /// The first match that is not before `local`; nil when there is none.
  func first(from local: Int64) -> Int64? {
    let dayNumber = local.flooredQuotient(by: 86_400)
    let today = CivilTime.date(daysSinceEpoch: dayNumber)
    if hasYear(today.year), expression.months >> UInt64(today.month) & 1 == 1,
      days(of: today.month, in: today.year) >> UInt32(today.day) & 1 == 1,
      let time = firstTime(from: Int(local.flooredRemainder(by: 86_400)))
    {
      return dayNumber * 86_400 + Int64(time)
    }
    guard let day = firstDay(year: today.year, month: today.month, after: today.day) else {
      return nil
    }
    return day * 86_400 + Int64(earliestTime)
  }

  private func hasYear(_ year: Int) -> Bool {
    guard let years = expression.years else { return true }
    return years.first(from: year) == year
  }

  private func days(of month: Int, in year: Int) -> UInt32 {
    let first = CivilTime.daysSinceEpoch(year: year, month: month, day: 1)
    return expression.days.days(
      inMonthOf: CivilTime.days(inMonth: month, of: year),
      firstWeekday: CivilTime.weekday(daysSinceEpoch: first), rule: rule)
  }

  /// The first matching day after the given one, as a number of days since the epoch.
  private func firstDay(year startYear: Int, month startMonth: Int, after day: Int) -> Int64? {
    var year = startYear
    var month = startMonth
    // The days of the first month that are over.
    var over = UInt32.max >> UInt32(31 - day)
    let lastYear =
      expression.years == nil ? min(Self.yearMax, startYear + Self.yearsMax) : Self.yearMax
    while true {
      if let years = expression.years {
        guard let next = years.first(from: year) else { return nil }
        if next != year { (year, month, over) = (next, 1, 0) }
      }
      guard year <= lastYear else { return nil }
      let laterMonths = expression.months >> UInt64(month)
      guard laterMonths != 0 else {
        (year, month, over) = (year + 1, 1, 0)
        continue
      }
      let skipped = laterMonths.trailingZeroBitCount
      if skipped > 0 { (month, over) = (month + skipped, 0) }
      let left = days(of: month, in: year) & ~over
      if left != 0 {
        return CivilTime.daysSinceEpoch(year: year, month: month, day: left.trailingZeroBitCount)
      }
      (month, over) = (month + 1, 0)
    }
  }

  private var earliestTime: Int {
    expression.hours.trailingZeroBitCount * 3600 + expression.minutes.trailingZeroBitCount * 60
      + expression.seconds.trailingZeroBitCount
  }

  /// The first matching second of a day that is not before `second`; nil when it is over.
  private func firstTime(from second: Int) -> Int? {
    let hour = second / 3600
    let minute = second / 60 % 60
    if expression.hours >> UInt64(hour) & 1 == 1 {
      if expression.minutes >> UInt64(minute) & 1 == 1 {
        let left = expression.seconds >> UInt64(second % 60)
        if left != 0 { return second + left.trailingZeroBitCount }
      }
      let left = expression.minutes >> UInt64(minute + 1)
      if left != 0 {
        return hour * 3600 + (minute + 1 + left.trailingZeroBitCount) * 60
          + expression.seconds.trailingZeroBitCount
      }
    }
    let left = expression.hours >> UInt64(hour + 1)
    guard left != 0 else { return nil }
    return (hour + 1 + left.trailingZeroBitCount) * 3600
      + expression.minutes.trailingZeroBitCount * 60 + expression.seconds.trailingZeroBitCount
  }
}
