/// One item of a unit's list: a value, a range, or a repetition.
struct CalendarTerm: Hashable, Comparable, Sendable {
  var start: Int
  /// The last value of a range; nil without one.
  var stop: Int?
  /// The distance between two values; 0 for a single value.
  var step: Int

  init(_ start: Int, to stop: Int? = nil, every step: Int = 0) {
    self.start = start
    self.stop = stop
    self.step = step
  }

  static func < (left: Self, right: Self) -> Bool {
    (left.start, left.stop ?? -1, left.step) < (right.start, right.stop ?? -1, right.step)
  }

  /// The same values with the range's end on a value; a range of one value is no range.
  var trimmed: CalendarTerm {
    guard let stop else { return self }
    var last = stop
    if last > start, step > 0 { last -= (last - start) % step }
    return last == start ? CalendarTerm(start) : CalendarTerm(start, to: last, every: step)
  }

  /// True if all its values exist in the unit, and a repetition comes at least once.
  ///
  /// Days counted from the month's end are at most 28, so that every month has them; systemd takes
  /// off three more for each item before it in the list, and so does this.
  func isValid(in unit: CalendarUnit, fromMonthEnd: Bool, index: Int) -> Bool {
    let isCountedBack = fromMonthEnd && unit == .day
    let lowest = unit.values.lowerBound
    let highest = unit.values.upperBound - (isCountedBack ? 3 * (index + 1) : 0)
    guard lowest <= highest, (lowest...highest).contains(start), step <= highest - lowest else {
      return false
    }
    if let stop { return (lowest...highest).contains(stop) && start + step <= stop }
    return isCountedBack ? start - step >= lowest : start + step <= highest
  }

  /// The term's earliest value that is not before `value`; nil when all are over.
  func first(from value: Int) -> Int? {
    if start >= value { return start }
    guard step > 0 else { return nil }
    let next = start + (value - start + step - 1) / step * step
    if let stop, next > stop { return nil }
    return next
  }
}

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

  /// The number of steps in one of the unit as people write it.
  var scale: Int { self == .second ? 1_000_000 : 1 }

  /// The value that it is reset to when a larger unit changes.
  var lowest: Int { self == .month || self == .day ? 1 : 0 }
}
