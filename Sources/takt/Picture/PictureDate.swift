/// A local date and time of the proleptic Gregorian calendar, taken apart for labels.
struct PictureDate: Sendable {
  /// The length of a day in milliseconds.
  static let dayMs: Int64 = 86_400_000
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]
  private static let weekdays = [
    "Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday",
  ]

  let year: Int64
  /// From 1.
  let month: Int
  /// From 1.
  let day: Int
  /// Days since 1970-01-01.
  let dayNumber: Int64
  /// Milliseconds since midnight.
  let msOfDay: Int64

  /// The date of a local instant, in milliseconds since 1970-01-01T00:00 local time.
  init(localMs: Int64) {
    dayNumber = Self.floorDivide(localMs, Self.dayMs)
    msOfDay = localMs - dayNumber * Self.dayMs
    // The calendar is counted in eras of 400 years that begin on the first of March.
    let shifted = dayNumber + 719_468
    let era = Self.floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The days from 1970-01-01 to the first of a month.
  static func firstDay(year: Int64, month: Int) -> Int64 {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = floorDivide(shiftedYear, 400)
    let yearOfEra = shiftedYear - era * 400
    let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * monthFromMarch + 2) / 5
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Division that rounds towards the past.
  static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
  }

  /// `08:05`
  var minuteText: String {
    "\(Self.padded(msOfDay / 3_600_000)):\(Self.padded(msOfDay / 60_000 % 60))"
  }

  /// `08:05:09`
  var secondText: String { "\(minuteText):\(Self.padded(msOfDay / 1_000 % 60))" }

  /// `08:05:09.040`
  var millisecondText: String {
    "\(secondText).\(Self.padded(msOfDay % 1_000, to: 3))"
  }

  /// `Mon`
  var weekdayText: String { String(weekdayLongText.prefix(3)) }
  /// `Mon 2`
  var weekdayAndDay: String { "\(weekdayText) \(day)" }
  /// `2 Mar`
  var dayAndMonth: String { "\(day) \(monthText)" }
  /// `Mar`
  var monthText: String { String(monthLongText.prefix(3)) }
  /// `March`
  var monthLongText: String { Self.months[month - 1] }
  /// `Mon 2 Mar 2026`
  var dateText: String { "\(weekdayText) \(dayAndMonth) \(year)" }
  /// `Monday 2 March 2026`
  var dateLongText: String { "\(weekdayLongText) \(day) \(monthLongText) \(year)" }

  /// `Mon 2 Mar 2026 08:05`, with seconds and milliseconds where they are not zero.
  var fullText: String {
    if msOfDay % 1_000 != 0 { return "\(dateText) \(millisecondText)" }
    return "\(dateText) \(msOfDay % 60_000 == 0 ? minuteText : secondText)"
  }

  private var weekdayLongText: String {
    Self.weekdays[Int(dayNumber - Self.floorDivide(dayNumber, 7) * 7)]
  }

  private static func padded(_ number: Int64, to width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
