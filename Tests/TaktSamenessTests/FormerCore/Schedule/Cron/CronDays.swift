/// The days of a cron expression: its day-of-month and its day-of-week field.
struct CronDays: Hashable, Sendable {
  /// Whether the day of month is `*` or `?`.
  var isAnyDayOfMonth = false
  /// Whether the day of week is `*` or `?`.
  var isAnyDayOfWeek = false
  /// Days of the month, bits 1 to 31.
  var daysOfMonth: UInt32 = 0
  /// Days before the last of the month: bit 0 is `L`, bit 3 is `L-3`.
  var daysBeforeLast: UInt32 = 0
  /// Bit 15 is `15W`, the weekday nearest to the 15th.
  var nearestWeekdays: UInt32 = 0
  /// Bit 0 is `LW`, bit 3 is `L-3W`.
  var nearestWeekdaysBeforeLast: UInt32 = 0
  /// Bit 0 is Sunday.
  var weekdays: UInt8 = 0
  /// Bit 5 is `5L`, the last Friday of the month.
  var lastWeekdays: UInt8 = 0
  /// Bit `5 · weekday + n − 1` is `weekday#n`.
  var nthWeekdays: UInt64 = 0

  /// Whether both fields leave days out, so that the rule has a meaning.
  var areBothGiven: Bool { !isAnyDayOfMonth && !isAnyDayOfWeek }

  /// The days of one month as bits 1 to 31.
  func days(inMonthOf length: Int, firstWeekday: Int, rule: CronDayRule) -> UInt32 {
    let all = UInt32.max >> UInt32(31 - length) & ~1
    if isAnyDayOfMonth && isAnyDayOfWeek { return all }
    if isAnyDayOfWeek { return monthDays(length, firstWeekday) & all }
    let weekDays = weekDays(length, firstWeekday)
    if isAnyDayOfMonth { return weekDays & all }
    switch rule {
    case .any: return (monthDays(length, firstWeekday) | weekDays) & all
    case .all: return monthDays(length, firstWeekday) & weekDays & all
    }
  }

  private func monthDays(_ length: Int, _ firstWeekday: Int) -> UInt32 {
    var days = daysOfMonth
    Self.forEachBit(UInt64(daysBeforeLast)) { before in
      if before < length { days |= 1 << UInt32(length - before) }
    }
    Self.forEachBit(UInt64(nearestWeekdays)) { day in
      if day <= length { days |= Self.nearestWeekday(to: day, length, firstWeekday) }
    }
    Self.forEachBit(UInt64(nearestWeekdaysBeforeLast)) { before in
      if before < length { days |= Self.nearestWeekday(to: length - before, length, firstWeekday) }
    }
    return days
  }

  private func weekDays(_ length: Int, _ firstWeekday: Int) -> UInt32 {
    // The week turned so that its bit 0 is the weekday of the first, then laid end to end.
    let week = UInt64(weekdays)
    let turned = (week >> UInt64(firstWeekday) | week << UInt64(7 - firstWeekday)) & 0x7f
    let month = turned | turned << 7 | turned << 14 | turned << 21 | turned << 28
    var days = UInt32(truncatingIfNeeded: month << 1)
    Self.forEachBit(nthWeekdays) { bit in
      let day = 1 + (bit / 5 - firstWeekday + 7) % 7 + bit % 5 * 7
      if day <= length { days |= 1 << UInt32(day) }
    }
    Self.forEachBit(UInt64(lastWeekdays)) { weekday in
      let first = 1 + (weekday - firstWeekday + 7) % 7
      days |= 1 << UInt32(first + (length - first) / 7 * 7)
    }
    return days
  }

  /// The bit of the weekday nearest to a day, in the same month.
  private static func nearestWeekday(to day: Int, _ length: Int, _ firstWeekday: Int) -> UInt32 {
    switch (firstWeekday + day - 1) % 7 {
    case 6: return 1 << UInt32(day == 1 ? 3 : day - 1)
    case 0: return 1 << UInt32(day == length ? day - 2 : day + 1)
    default: return 1 << UInt32(day)
    }
  }

  static func forEachBit(_ bits: UInt64, _ body: (Int) -> Void) {
    var rest = bits
    while rest != 0 {
      body(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
  }
}
