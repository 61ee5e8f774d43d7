extension CronExpression: CustomStringConvertible {
  /// The expression in one form, whatever it was written in: numbers for `H` and names of months,
  /// no seconds where they are 0, no year where it is every year. It reads back as an equal value.
  package var normalized: String {
    var fields = [
      Self.field(minutes, .minute, isOpen: openFields.contains(.minute)),
      Self.field(
        hours, .hour, isOpen: openFields.contains(.hour),
        isStar: openFields.contains(.everyHour)), days.monthField,
      Self.field(months, .month, isOpen: true), days.weekField,
    ]
    let second = Self.field(seconds, .second, isOpen: openFields.contains(.second))
    if second != "0" || years != nil { fields.insert(second, at: 0) }
    if let years { fields.append(years.field) }
    return fields.joined(separator: " ")
  }

  package var description: String { normalized }

  /// A field with a range or a step says so again, because that decides what a repeated hour does.
  private static func field(
    _ mask: UInt64, _ field: CronField, isOpen: Bool, isStar: Bool = false
  ) -> String {
    let values = field.values
    let count = mask.nonzeroBitCount
    if isOpen, count == values.count { return "*" }
    if !isOpen, count == 1 { return String(mask.trailingZeroBitCount) }
    var numbers: [Int] = []
    numbers.reserveCapacity(count)
    CronDays.forEachBit(mask) { numbers.append($0) }
    guard isOpen else { return numbers.map(String.init).joined(separator: ",") }
    if isStar { return starred(numbers, values) }
    if let stepped = stepped(numbers, values, mayBeStar: field != .hour) { return stepped }
    let runs = runs(of: numbers)
    let text = runs.map { run in
      run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound)-\(run.upperBound)"
    }
    if field == .month || runs.contains(where: { $0.count > 1 }) {
      return text.joined(separator: ",")
    }
    return (["\(numbers[0])-\(numbers[0])"] + text.dropFirst()).joined(separator: ",")
  }

  /// `*/15`, `3/10`, `9-17/2`; nil when the values are no such series.
  private static func stepped(
    _ numbers: [Int], _ values: ClosedRange<Int>, mayBeStar: Bool
  ) -> String? {
    guard numbers.count > 1 else { return nil }
    let step = numbers[1] - numbers[0]
    let last = numbers[numbers.count - 1]
    guard step > 1, zip(numbers, numbers.dropFirst()).allSatisfy({ $1 - $0 == step }) else {
      return nil
    }
    let continues = last + step > values.upperBound
    if numbers.count == 2, !continues || numbers[0] != values.lowerBound { return nil }
    // An hour field that starts with a star means more than its values.
    let start = mayBeStar && numbers[0] == values.lowerBound ? "*" : "\(numbers[0])"
    return continues ? "\(start)/\(step)" : "\(numbers[0])-\(last)/\(step)"
  }

  /// `*/2`, `*/15,7`: values that start with the lowest and a step from it.
  static func starred(_ numbers: [Int], _ values: ClosedRange<Int>) -> String {
    let first = values.lowerBound
    let all = Set(numbers)
    let step =
      (1...values.count).first { step in
        stride(from: first, through: values.upperBound, by: step).allSatisfy(all.contains)
      } ?? values.count
    let rest = numbers.filter { ($0 - first) % step != 0 }
    let texts = runs(of: rest).map { run in
      run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound)-\(run.upperBound)"
    }
    return (["*/\(step)"] + texts).joined(separator: ",")
  }

  static func runs(of numbers: [Int]) -> [ClosedRange<Int>] {
    var runs: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = runs.last, last.upperBound + 1 == number {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs
  }
}

extension CronYears {
  fileprivate var field: String {
    terms.map { term in
      if term.first == term.last { return "\(term.first)" }
      return "\(term.first)-\(term.last)" + (term.step > 1 ? "/\(term.step)" : "")
    }.joined(separator: ",")
  }
}

extension CronDays {
  fileprivate var monthField: String {
    if isAnyDayOfMonth { return "*" }
    let numbers = (1...31).filter { daysOfMonth >> UInt32($0) & 1 == 1 }
    var parts =
      isStarDayOfMonth
      ? [CronExpression.starred(numbers, 1...31)]
      : CronExpression.runs(of: numbers).map { run in
        run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound)-\(run.upperBound)"
      }
    Self.forEachBit(UInt64(daysBeforeLast)) { parts.append($0 == 0 ? "L" : "L-\($0)") }
    Self.forEachBit(UInt64(nearestWeekdays)) { parts.append("\($0)W") }
    Self.forEachBit(UInt64(nearestWeekdaysBeforeLast)) { parts.append($0 == 0 ? "LW" : "L-\($0)W") }
    return parts.joined(separator: ",")
  }

  fileprivate var weekField: String {
    if isAnyDayOfWeek { return "*" }
    let names = CronField.dayOfWeek.names
    // The week starts on Monday, so that a working week is one range.
    let week = (1...7).filter { weekdays >> UInt8($0 % 7) & 1 == 1 }
    var parts =
      isStarDayOfWeek
      ? [CronExpression.starred(week.map { $0 % 7 }.sorted(), 0...6)]
      : CronExpression.runs(of: week).flatMap { run -> [String] in
        run.count < 3
          ? run.map { names[$0 % 7] } : [names[run.lowerBound] + "-" + names[run.upperBound % 7]]
      }
    Self.forEachBit(nthWeekdays) { parts.append("\(names[$0 / 5])#\($0 % 5 + 1)") }
    Self.forEachBit(UInt64(lastWeekdays)) { parts.append("\(names[$0])L") }
    return parts.joined(separator: ",")
  }
}
