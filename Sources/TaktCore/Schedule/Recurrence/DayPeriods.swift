import TaktTime

/// Every n-th day, week, month or year, counted by the calendar from the one in which a day is.
struct DayPeriods: Hashable, Sendable {
  enum Unit: String, CaseIterable, Hashable, Sendable {
    case day, week, month, year
  }

  var unit: Unit
  /// At least 1.
  var interval: Int64
  /// A day of the first period, as a number of days since the epoch.
  var start: Int64
  /// The first weekday of a week: 0 for Sunday.
  var weekStart = 1

  /// True if a day is in one of the periods.
  func contains(_ day: Int64) -> Bool {
    interval == 1 || (number(of: day) - number(of: start)).flooredRemainder(by: interval) == 0
  }

  /// The first day that is not before `day` and in one of the periods.
  func first(from day: Int64) -> Int64 {
    if interval == 1 { return day }
    let rest = (number(of: day) - number(of: start)).flooredRemainder(by: interval)
    return rest == 0 ? day : firstDay(ofPeriod: number(of: day) + interval - rest)
  }

  func period(of day: Int64) -> Range<Int64> {
    let number = number(of: day)
    return firstDay(ofPeriod: number)..<firstDay(ofPeriod: number + 1)
  }

  /// The number of the unit that a day is in, of all in succession.
  private func number(of day: Int64) -> Int64 {
    switch unit {
    case .day: return day
    case .week: return weekNumber(of: day)
    case .month:
      let date = CivilTime.date(daysSinceEpoch: day)
      return Int64(date.year * 12 + date.month - 1)
    case .year: return Int64(CivilTime.date(daysSinceEpoch: day).year)
    }
  }

  private func weekNumber(of day: Int64) -> Int64 {
    // 1970-01-04 is a Sunday.
    (day - 3 - Int64(weekStart)).flooredQuotient(by: 7)
  }

  private func firstDay(ofPeriod number: Int64) -> Int64 {
    switch unit {
    case .day: number
    case .week: number * 7 + 3 + Int64(weekStart)
    case .month:
      CivilTime.daysSinceEpoch(
        year: Int(number.flooredQuotient(by: 12)), month: Int(number.flooredRemainder(by: 12)) + 1,
        day: 1)
    case .year: CivilTime.daysSinceEpoch(year: Int(number), month: 1, day: 1)
    }
  }
}
