/// A unit of a calendar expression, from the largest to the smallest.
package enum CalendarUnit: Int, CaseIterable, Hashable, Sendable {
  /// 1970 to 2199.
  case year
  /// 1 to 12.
  case month
  /// 1 to 31; counted from the month's end 1 to 28.
  case day
  /// 0 to 23.
  case hour
  /// 0 to 59.
  case minute
  /// 0 to 59.999999, kept in microseconds.
  case second

  /// The values it takes; seconds in microseconds.
  var values: ClosedRange<Int> {
    switch self {
    case .year: 1970...2199
    case .month: 1...12
    case .day: 1...31
    case .hour: 0...23
    case .minute: 0...59
    case .second: 0...59_999_999
    }
  }

  /// Its name in a sentence.
  var word: String {
    switch self {
    case .year: "year"
    case .month: "month"
    case .day: "day"
    case .hour: "hour"
    case .minute: "minute"
    case .second: "second"
    }
  }

  /// How many steps its number has in what a person writes.
  var scale: Int { self == .second ? 1_000_000 : 1 }

  /// What it is set back to when a larger unit changes.
  var lowest: Int { self == .month || self == .day ? 1 : 0 }
}
