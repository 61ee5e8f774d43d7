import TaktTime

/// Days of the month that some months do not have.
package struct RareDay: Hashable, Sendable {
  /// The day; nil for several, and for one that is counted from the end.
  var day: Int?
  /// The months without it in a year that is no leap year.
  var months: [Int]
  /// True if only February lacks it, and only outside leap years.
  var isInLeapYears: Bool
  /// True if these months have other days.
  var hasOthers = false
  /// The notation for the last day of each month.
  var last: String

  var sentence: String {
    if isInLeapYears { return "February has a day 29 only in leap years" }
    let list = CronExpression.join(months.map { CivilTime.monthNames[$0 - 1] })
    return "\(list) \(months.count == 1 ? "has" : "have") no "
      + (day.map { "day \($0)" } ?? "such day")
      + (hasOthers ? ", and so slots on the other days only" : ", and so no slot")
  }

  var hint: String {
    day == 31
      ? "for the last day of each month, write '\(last)'"
      : "write 28 for a day that every month has, or '\(last)' for the last one"
  }
}

extension CronDays {
  private static let (commonYear, leapYear) = (2026, 2028)

  /// Likely mistakes in the days of one field alone.
  ///
  /// - Parameters:
  ///   - months: bits 1 to 12.
  ///   - hasStep: true if the days of the month are written with a step.
  ///   - last: the notation for the last day of each month.
  func warning(in months: UInt64, hasStep: Bool, last: String) -> CronWarning? {
    if isAnyDayOfMonth { return fifthWeekdays.map(CronWarning.fifthWeekdays) }
    guard isAnyDayOfWeek else { return nil }
    let months = CronExpression.values(months, .month)
    // The end of one month meets the start of the next only if both are named.
    if hasStep, months.contains(where: { months.contains($0 % 12 + 1) }), let step = dayStep {
      return step
    }
    return rareDay(among: months, last: last).map(CronWarning.rareDay)
  }

  /// True if a single day of the month is among them, and not a range alone.
  var haveLoneDay: Bool {
    isAnyDayOfWeek && !isAnyDayOfMonth
      && (1...31).contains { daysOfMonth >> UInt32($0 - 1) & 0b111 == 0b010 }
  }

  /// The days of the week of which only the fifth counts; nil where others count.
  private var fifthWeekdays: [Int]? {
    guard weekdays == 0, lastWeekdays == 0, nthWeekdays != 0 else { return nil }
    let days = (0..<7).filter { nthWeekdays >> UInt64($0 * 5) & 0b11111 != 0 }
    return days.allSatisfy { nthWeekdays >> UInt64($0 * 5) & 0b11111 == 0b10000 } ? days : nil
  }

  /// True if only numbers of days are named.
  private var areNumbers: Bool {
    daysBeforeLast == 0 && nearestWeekdays == 0 && nearestWeekdaysBeforeLast == 0
  }

  private var numbers: [Int] { (1...31).filter { daysOfMonth >> UInt32($0) & 1 == 1 } }

  /// A step that goes on to the end of the month.
  private var dayStep: CronWarning? {
    let days = numbers
    guard areNumbers, days.count > 1 else { return nil }
    let (step, last) = (days[1] - days[0], days[days.count - 1])
    guard step > 1, last + step > 31,
      zip(days, days.dropFirst()).allSatisfy({ $1 - $0 == step })
    else { return nil }
    return .dayStep(step, first: days[0], last: last)
  }

  private func rareDay(among months: [Int], last: String) -> RareDay? {
    let lacking = months.filter {
      days(of: LocalMonth($0, of: Self.commonYear), rule: .any) == 0
    }
    guard lacking.isEmpty else {
      let isInLeapYears =
        lacking == [2] && days(of: LocalMonth(2, of: Self.leapYear), rule: .any) != 0
      let named = daysOfMonth | nearestWeekdays
      let isOne =
        named.nonzeroBitCount == 1 && daysBeforeLast | nearestWeekdaysBeforeLast == 0
      return RareDay(
        day: isOne ? named.trailingZeroBitCount : nil, months: lacking,
        isInLeapYears: isInLeapYears,
        last: nearestWeekdays | nearestWeekdaysBeforeLast == 0 ? last : last + "W")
    }
    // Of `28-31`, the command itself looks for the last day.
    guard areNumbers, let day = numbers.last, day > 28, !numbers.contains(day - 1) else {
      return nil
    }
    let without = months.filter {
      LocalMonth($0, of: Self.commonYear).length < day
    }
    return without.isEmpty
      ? nil
      : RareDay(
        day: day, months: without, isInLeapYears: day == 29, hasOthers: true, last: last)
  }
}
