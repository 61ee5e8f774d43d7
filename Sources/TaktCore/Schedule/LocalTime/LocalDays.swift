import TaktTime

/// Days of the calendar that an expression names: by their year, their month and their place in it.
protocol LocalDays {
  /// Bits 1 to 12.
  var months: UInt64 { get }

  /// The earliest year that is not before `year`; nil when there is none.
  func firstYear(from year: Int) -> Int?

  /// Bits 1 to 31.
  func days(of month: LocalMonth) -> UInt32
}

/// One month, as the days in it are chosen.
struct LocalMonth {
  /// Its first day, as a number of days since the epoch.
  let start: Int64
  /// In days.
  let length: Int
  /// The weekday of its first day: 0 for Sunday.
  let firstWeekday: Int

  init(_ month: Int, of year: Int) {
    start = CivilTime.daysSinceEpoch(year: year, month: month, day: 1)
    length = CivilTime.days(inMonth: month, of: year)
    firstWeekday = CivilTime.weekday(daysSinceEpoch: start)
  }

  /// All its days as bits 1 to 31.
  var allDays: UInt32 { UInt32.max >> UInt32(31 - length) & ~1 }

  /// Its days on some weekdays, bit 0 for Sunday, as bits 1 to 31; beyond its last day too.
  func days(on weekdays: UInt8) -> UInt32 {
    let week = UInt64(weekdays)
    // The week turned so that its bit 0 is the weekday of the first, then laid end to end.
    let turned = (week >> UInt64(firstWeekday) | week << UInt64(7 - firstWeekday)) & 0x7f
    let month = turned | turned << 7 | turned << 14 | turned << 21 | turned << 28
    return UInt32(truncatingIfNeeded: month << 1)
  }
}

extension LocalDays {
  /// The first day that is not before `day`, as a number of days since the epoch; nil when there is
  /// none up to the end of `lastYear`, nor within so many years.
  func firstDay(from day: Int64, through lastYear: Int, within years: Int? = nil) -> Int64? {
    var (year, month, dayOfMonth) = CivilTime.date(daysSinceEpoch: day)
    let lastYear = years.map { min(lastYear, year + $0) } ?? lastYear
    // The days of the first month that are over.
    var over = (UInt32(1) << UInt32(dayOfMonth)) - 1
    while true {
      guard let next = firstYear(from: year), next <= lastYear else { return nil }
      if next != year { (year, month, over) = (next, 1, 0) }
      let laterMonths = months >> UInt64(month)
      guard laterMonths != 0 else {
        (year, month, over) = (year + 1, 1, 0)
        continue
      }
      let skipped = laterMonths.trailingZeroBitCount
      if skipped > 0 { (month, over) = (month + skipped, 0) }
      let current = LocalMonth(month, of: year)
      let left = days(of: current) & ~over
      if left != 0 { return current.start + Int64(left.trailingZeroBitCount) - 1 }
      (month, over) = (month + 1, 0)
    }
  }
}
