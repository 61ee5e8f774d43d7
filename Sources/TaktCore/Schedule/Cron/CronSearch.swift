import TaktTime

/// Finds the local times of a cron expression, without regard to any zone.
///
/// Times are seconds since 1970-01-01T00:00:00 as if the zone were UTC. It goes from field to
/// field by bits and never step by step through minutes or seconds.
struct CronSearch: LocalSearch {
  static let ticksPerSecond: Int64 = 1

  let expression: CronExpression
  let rule: CronDayRule

  /// The last year of the type's range.
  static let yearMax = 2261
  private static let dayMax = CivilTime.daysSinceEpoch(year: yearMax, month: 12, day: 31)
  /// A day of the year falls on each weekday at least once in so many years, also round a
  /// century without its leap day.
  private static let yearsMax = 44

  /// The first match that is not before `local`; nil when there is none.
  func first(from local: Int64) -> Int64? {
    let today = local.flooredQuotient(by: 86_400)
    let time = firstTime(from: Int(local - today * 86_400))
    guard let day = firstDay(from: time == nil ? today + 1 : today) else { return nil }
    return day * 86_400 + Int64(day == today ? time ?? earliestTime : earliestTime)
  }

  private func firstDay(from day: Int64) -> Int64? {
    // Most expressions name every day.
    if expression.isDaily { return day <= Self.dayMax ? day : nil }
    return firstDay(
      from: day, through: Self.yearMax, within: expression.years == nil ? Self.yearsMax : nil)
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

extension CronSearch: LocalDays {
  var months: UInt64 { expression.months }

  func firstYear(from year: Int) -> Int? {
    guard let years = expression.years else { return year }
    return years.first(from: year)
  }

  func days(of month: LocalMonth) -> UInt32 { expression.days.days(of: month, rule: rule) }
}
