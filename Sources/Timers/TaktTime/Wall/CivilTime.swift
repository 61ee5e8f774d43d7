/// A date and a time of day as a person writes them, without a zone.
///
/// The calendar is the Gregorian one, also before its time.
package struct CivilTime: Hashable, Comparable, Sendable {
  /// The year, 1 for AD 1.
  package var year: Int
  /// 1 to 12.
  package var month: Int
  /// 1 to 31.
  package var day: Int
  /// 0 to 23.
  package var hour: Int
  /// 0 to 59.
  package var minute: Int
  /// 0 to 59; a leap second has no name here.
  package var second: Int
  /// 0 to 999.
  package var millisecond: Int

  /// Takes the parts as they are; `isValid` says whether such a date exists.
  @inlinable package init(
    year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
    millisecond: Int = 0
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.millisecond = millisecond
  }

  /// The civil time `seconds` and `millisecond` after 1970-01-01T00:00:00.
  @inlinable package init(epochSeconds seconds: Int64, millisecond: Int = 0) {
    let days = seconds.flooredQuotient(by: 86_400)
    let secondOfDay = Int(seconds.flooredRemainder(by: 86_400))
    let (year, month, day) = Self.date(daysSinceEpoch: days)
    self.init(
      year: year, month: month, day: day, hour: secondOfDay / 3600,
      minute: secondOfDay / 60 % 60, second: secondOfDay % 60, millisecond: millisecond)
  }

  @inlinable package var isValid: Bool {
    (1...12).contains(month) && (1...max(1, Self.days(inMonth: month, of: year))).contains(day)
      && (0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second)
      && (0...999).contains(millisecond)
  }

  /// Seconds since 1970-01-01T00:00:00, read as if the zone were UTC.
  @inlinable package var epochSeconds: Int64 {
    Self.daysSinceEpoch(year: year, month: month, day: day) * 86_400
      + Int64(hour * 3600 + minute * 60 + second)
  }

  @inlinable package static func < (left: Self, right: Self) -> Bool {
    (left.epochSeconds, left.millisecond) < (right.epochSeconds, right.millisecond)
  }

  @inlinable package static func isLeap(year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  @inlinable package static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year: year) ? 29 : 28
    case 4, 6, 9, 11: 30
    case 1...12: 31
    default: 0
    }
  }

  /// Days from 1970-01-01, counted in eras of 400 years that begin on 1 March.
  @inlinable package static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int64 {
    let marchYear = Int64(month <= 2 ? year - 1 : year)
    let era = marchYear.flooredQuotient(by: 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  @inlinable package static func date(daysSinceEpoch: Int64) -> (year: Int, month: Int, day: Int) {
    let days = daysSinceEpoch + 719_468
    let era = days.flooredQuotient(by: 146_097)
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = Int(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
    let year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    return (year, month, Int(dayOfYear - (153 * marchMonth + 2) / 5 + 1))
  }

  /// 0 for Sunday to 6 for Saturday.
  @inlinable package static func weekday(daysSinceEpoch: Int64) -> Int {
    Int((daysSinceEpoch + 4).flooredRemainder(by: 7))
  }

  /// From January on.
  package static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  /// From Sunday on.
  package static let weekdayNames = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]

  package var monthName: String { Self.monthNames[month - 1] }

  package var weekdayName: String {
    let day = Self.daysSinceEpoch(year: year, month: month, day: day)
    return Self.weekdayNames[Self.weekday(daysSinceEpoch: day)]
  }
}
