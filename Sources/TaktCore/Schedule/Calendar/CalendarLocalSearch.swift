/// Finds the local times of a calendar expression, without regard to any zone, in microseconds.
///
/// A repetition ends with its unit, so that the result does not depend on the start of the search.
struct CalendarLocalSearch: LocalSearch {
  static let ticksPerSecond: Int64 = 1_000_000

  let expression: CalendarExpression

  private static let day = 86_400 * ticksPerSecond
  private static let hour = 3600 * Int(ticksPerSecond)
  private static let minute = 60 * Int(ticksPerSecond)

  func first(from local: Int64) -> Int64? {
    // Its years start with 1970, in the west a few hours after the epoch.
    let local = max(0, local)
    let today = local / Self.day
    let time = firstTime(from: Int(local - today * Self.day))
    let lastYear = CalendarUnit.year.values.upperBound
    guard let day = firstDay(from: time == nil ? today + 1 : today, through: lastYear),
      let found = day == today ? time : firstTime(from: 0)
    else { return nil }
    return day * Self.day + Int64(found)
  }

  /// The first matching time of a day that is not before `time`, in microseconds; nil when it is
  /// over.
  private func firstTime(from time: Int) -> Int? {
    let hour = time / Self.hour
    guard var next = first(of: .hour, from: hour) else { return nil }
    if next == hour {
      if let rest = firstTimeOfHour(from: time - hour * Self.hour) {
        return hour * Self.hour + rest
      }
      guard let later = first(of: .hour, from: hour + 1) else { return nil }
      next = later
    }
    return firstTimeOfHour(from: 0).map { next * Self.hour + $0 }
  }

  private func firstTimeOfHour(from time: Int) -> Int? {
    let minute = time / Self.minute
    guard var next = first(of: .minute, from: minute) else { return nil }
    if next == minute {
      if let rest = first(of: .second, from: time - minute * Self.minute) {
        return minute * Self.minute + rest
      }
      guard let later = first(of: .minute, from: minute + 1) else { return nil }
      next = later
    }
    return first(of: .second, from: 0).map { next * Self.minute + $0 }
  }

  /// The first value of a unit that is not before `value`; nil when all are over.
  private func first(of unit: CalendarUnit, from value: Int) -> Int? {
    let terms = expression[unit]
    var earliest = terms.isEmpty ? value : .max
    for term in terms {
      if let candidate = term.first(from: value) { earliest = min(earliest, candidate) }
    }
    return earliest <= unit.values.upperBound ? earliest : nil
  }
}

extension CalendarLocalSearch: LocalDays {
  var months: UInt64 { Self.bits(of: expression.months, through: 12) }

  func firstYear(from year: Int) -> Int? { first(of: .year, from: year) }

  func days(of month: LocalMonth) -> UInt32 {
    var days = month.allDays
    if expression.weekdays != 0 { days &= month.days(on: sundayFirst(expression.weekdays)) }
    guard !expression.days.isEmpty else { return days }
    let terms =
      expression.isFromMonthEnd
      ? expression.days.map { $0.countedBack(fromEndOf: month) } : expression.days
    return days & UInt32(truncatingIfNeeded: Self.bits(of: terms, through: month.length))
  }

  /// Converts bits that start with Monday to bits that start with Sunday.
  private func sundayFirst(_ weekdays: UInt8) -> UInt8 { (weekdays << 1 | weekdays >> 6) & 0x7f }

  /// The values from 1 to `highest` that the terms name; all of them without terms.
  private static func bits(of terms: [CalendarTerm], through highest: Int) -> UInt64 {
    if terms.isEmpty { return (1 << UInt64(highest + 1)) - 2 }
    var bits: UInt64 = 0
    for term in terms {
      var value = term.first(from: 1)
      while let found = value, found <= highest {
        bits |= 1 << UInt64(found)
        value = term.first(from: found + 1)
      }
    }
    return bits
  }
}

extension CalendarTerm {
  /// Days counted from a month's end, as days of the month.
  fileprivate func countedBack(fromEndOf month: LocalMonth) -> CalendarTerm {
    let last = month.length + 1 - start
    guard let stop else { return CalendarTerm(last, every: step) }
    return CalendarTerm(month.length + 1 - stop, to: last, every: step)
  }
}
