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
  /// Bit 0 is Sunday.
  var weekdays: UInt8 = 0
  /// Those of the day of month, such as `L` and `15W`; sorted, none twice.
  var specialOfMonth: [SpecialDay] = []
  /// Those of the day of week, such as `FRI#2` and `FRIL`.
  var specialOfWeek: [SpecialDay] = []

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
    if isAnyDayOfWeek { return Self.days(daysOfMonth, specialOfMonth, month) & all }
    let weekDays = Self.days(month.days(on: weekdays), specialOfWeek, month)
    if isAnyDayOfMonth { return weekDays & all }
    let monthDays = Self.days(daysOfMonth, specialOfMonth, month)
    return (wantsBoth(rule) ? monthDays & weekDays : monthDays | weekDays) & all
  }

  func wantsBoth(_ rule: CronDayRule) -> Bool {
    switch rule {
    case .cron: isStar
    case .any: false
    case .all: true
    }
  }

  /// With bits of no day of the month too.
  private static func days(
    _ days: UInt32, _ special: [SpecialDay], _ month: LocalMonth
  ) -> UInt32 {
    special.reduce(days) { $0 | 1 << max(0, $1.day(of: month)) }
  }

  static func forEachBit(_ bits: UInt64, _ body: (Int) -> Void) {
    var rest = bits
    while rest != 0 {
      body(rest.trailingZeroBitCount)
      rest &= rest - 1
    }
  }
}
