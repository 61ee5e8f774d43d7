/// The days of a cron expression: its day-of-month and its day-of-week field.
struct CronDays: Hashable, Sendable {
  /// True if the day of month is `*` or `?`.
  var isAnyDayOfMonth = false
  /// True if the day of week is `*` or `?`.
  var isAnyDayOfWeek = false
  /// True if the day of month starts with `*` and leaves days out, next to a given day of week.
  var isStarDayOfMonth = false
  /// True if the day of week starts with `*` and leaves days out, next to a given day of month.
  var isStarDayOfWeek = false
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

  /// True if both fields leave days out, so that the rule has a meaning.
  var areBothGiven: Bool { !isAnyDayOfMonth && !isAnyDayOfWeek }

  /// True if `days: cron` requires both fields to match.
  var isStar: Bool { isStarDayOfMonth || isStarDayOfWeek }

  /// Forgets which fields start with `*` if that makes no difference.
  mutating func settleStars() {
    guard !areBothGiven else { return }
    (isStarDayOfMonth, isStarDayOfWeek) = (false, false)
  }

  /// As bits 1 to 31.
  func days(of month: LocalMonth, rule: CronDayRule) -> UInt32 {
    let all = month.allDays
    if isAnyDayOfMonth && isAnyDayOfWeek { return all }
    if isAnyDayOfWeek { return monthDays(month.length, month.firstWeekday) & all }
    let weekDays = weekDays(month)
    if isAnyDayOfMonth { return weekDays & all }
    let monthDays = monthDays(month.length, month.firstWeekday)
    return (wantsBoth(rule) ? monthDays & weekDays : monthDays | weekDays) & all
  }

  func wantsBoth(_ rule: CronDayRule) -> Bool {
    switch rule {
    case .cron: isStar
    case .any: false
    case .all: true
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

  private func weekDays(_ month: LocalMonth) -> UInt32 {
    let (length, firstWeekday) = (month.length, month.firstWeekday)
    var days = month.days(on: weekdays)
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
