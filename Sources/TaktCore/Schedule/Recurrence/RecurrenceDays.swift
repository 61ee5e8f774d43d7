import TaktTime

/// The days that the BY parts of a recurrence rule leave: a day must be in each of the lists that are
/// given.
struct RecurrenceDays: Hashable, Sendable {
  /// A weekday of a month or a year: the n-th, or from the end the −n-th.
  struct NthWeekday: Hashable, Comparable, Sendable {
    var number: Int
    /// 0 for Sunday.
    var weekday: Int

    static func < (left: Self, right: Self) -> Bool {
      (left.weekday, left.number) < (right.weekday, right.number)
    }
  }

  /// Bits 1 to 12; 0 for all.
  var months: UInt16 = 0
  /// Bits 1 to 31; with `lastMonthDays`, 0 for all.
  var monthDays: UInt32 = 0
  /// Bit 1 is the last day of the month.
  var lastMonthDays: UInt32 = 0
  /// In order; −1 is the last day of the year. Empty for all.
  var yearDays: [Int] = []
  /// Bits 1 to 53; with `lastWeeks`, 0 for all.
  var weeks: UInt64 = 0
  /// Bit 1 is the last week of the year.
  var lastWeeks: UInt64 = 0
  /// Bit 0 is Sunday; with `nthWeekdays`, 0 for all.
  var weekdays: UInt8 = 0
  /// In order.
  var nthWeekdays: [NthWeekday] = []
  /// True if `nthWeekdays` are those of a year, not of a month.
  var areOfYear = false
  /// The first weekday of a week: 0 for Sunday.
  var weekStart = 1

  /// True if only months leave days out.
  var isEveryDay: Bool { isWithoutDays && weeks == 0 && lastWeeks == 0 }

  /// True if weeks are named, and no days of them.
  var isEveryDayOfWeeks: Bool { isWithoutDays && !isEveryDay }

  private var isWithoutDays: Bool {
    monthDays == 0 && lastMonthDays == 0 && yearDays.isEmpty && weekdays == 0
      && nthWeekdays.isEmpty
  }

  /// False if no day on a weekday is left; 0 for Sunday.
  func has(weekday: Int) -> Bool {
    weekdays == 0 && nthWeekdays.isEmpty || weekdays >> UInt8(weekday) & 1 == 1
      || nthWeekdays.contains { $0.weekday == weekday }
  }

  /// The days of a month as bits 1 to 31.
  func days(of month: Int, _ year: Int, _ local: LocalMonth) -> UInt32 {
    if months != 0, months >> UInt16(month) & 1 == 0 { return 0 }
    var days = local.allDays
    if monthDays != 0 || lastMonthDays != 0 {
      var given = monthDays
      CronDays.forEachBit(UInt64(lastMonthDays)) { back in
        if back <= local.length { given |= 1 << UInt32(local.length + 1 - back) }
      }
      days &= given
    }
    if weekdays != 0 || !nthWeekdays.isEmpty {
      days &= local.days(on: weekdays) | nthDays(of: local, year)
    }
    if days != 0, !yearDays.isEmpty { days &= yearDays(of: local, year) }
    if days != 0, weeks != 0 || lastWeeks != 0 { days &= weekDays(of: local) }
    return days
  }

  private func nthDays(of month: LocalMonth, _ year: Int) -> UInt32 {
    var days: UInt32 = 0
    for nth in nthWeekdays {
      let range =
        areOfYear ? Self.year(year) : month.start..<(month.start + Int64(month.length))
      let day: Int64
      if nth.number > 0 {
        day = Self.weekday(nth.weekday, from: range.lowerBound) + Int64(nth.number - 1) * 7
      } else {
        // The last of them is the first of the last seven days.
        day = Self.weekday(nth.weekday, from: range.upperBound - 7) + Int64(nth.number + 1) * 7
      }
      let place = day - month.start
      if range.contains(day), place >= 0, place < month.length { days |= 2 << UInt32(place) }
    }
    return days
  }

  private func yearDays(of month: LocalMonth, _ year: Int) -> UInt32 {
    let range = Self.year(year)
    var days: UInt32 = 0
    for number in yearDays {
      let day = number > 0 ? range.lowerBound + Int64(number - 1) : range.upperBound + Int64(number)
      let place = day - month.start
      if range.contains(day), place >= 0, place < month.length { days |= 2 << UInt32(place) }
    }
    return days
  }

  private func weekDays(of month: LocalMonth) -> UInt32 {
    var days: UInt32 = 0
    var place: Int64 = 0
    while place < month.length {
      let start = weekStart(of: month.start + place)
      let end = min(Int64(month.length), start + 7 - month.start)
      if isGiven(weekFrom: start) {
        for place in place..<end { days |= 2 << UInt32(place) }
      }
      place = end
    }
    return days
  }

  /// True if a week is named: a week belongs to the year that has four days or more of it.
  private func isGiven(weekFrom start: Int64) -> Bool {
    let year = CivilTime.date(daysSinceEpoch: start + 3).year
    let number = (start + 3 - Self.year(year).lowerBound) / 7 + 1
    // 28 December is in the last week, whatever day a week starts with.
    let last = CivilTime.daysSinceEpoch(year: year, month: 12, day: 28)
    let back = (weekStart(of: last) - start) / 7 + 1
    return weeks >> UInt64(number) & 1 == 1 || lastWeeks >> UInt64(back) & 1 == 1
  }

  private func weekStart(of day: Int64) -> Int64 {
    day - (day + 4 - Int64(weekStart)).flooredRemainder(by: 7)
  }

  private static func year(_ year: Int) -> Range<Int64> {
    let start = CivilTime.daysSinceEpoch(year: year, month: 1, day: 1)
    return start..<(start + (CivilTime.isLeap(year: year) ? 366 : 365))
  }

  /// The first such weekday that is not before a day.
  private static func weekday(_ weekday: Int, from day: Int64) -> Int64 {
    day + (Int64(weekday) - day - 4).flooredRemainder(by: 7)
  }
}
