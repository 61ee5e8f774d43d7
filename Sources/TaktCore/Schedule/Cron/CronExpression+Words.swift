import TaktTime

extension CronExpression {
  /// The expression in words, such as `at 02:30 on Monday to Friday in January`.
  package func words(days rule: CronDayRule = .cron) -> String {
    var parts = [timeWords]
    let days = days.words(rule: rule)
    if !days.isEmpty { parts.append(days) }
    let months = Self.values(months, .month)
    if months.count < 12 {
      let names = Self.spans(months).map { Self.span($0, CivilTime.monthNames, 1) }
      parts.append("in " + Self.join(names))
    }
    if let years { parts.append("in " + years.words) }
    return parts.joined(separator: " ")
  }

  private var timeWords: String {
    let clock = clockTimes
    if !clock.isEmpty { return "at " + Self.join(clock) }
    var parts: [String] = []
    if seconds != 1 { parts.append(Self.unitWords(seconds, .second)) }
    let everyMinute = Self.values(minutes, .minute).count == 60
    if !everyMinute || seconds == 1 { parts.append(Self.unitWords(minutes, .minute)) }
    if Self.values(hours, .hour).count < 24 {
      parts.append(Self.unitWords(hours, .hour))
    } else if minutes.nonzeroBitCount == 1, seconds == 1 {
      return minutes == 1
        ? "every hour on the hour" : "every hour at minute \(minutes.trailingZeroBitCount)"
    }
    return parts.joined(separator: ", ")
  }

  /// Times such as `02:30`, when they are few; else none.
  private var clockTimes: [String] {
    guard
      hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount <= 4
    else { return [] }
    return Self.values(hours, .hour).flatMap { hour in
      Self.values(minutes, .minute).flatMap { minute in
        Self.values(seconds, .second).map { second in
          let end = seconds == 1 ? "" : ":\(second.padded(2))"
          return "\(hour.padded(2)):\(minute.padded(2))\(end)"
        }
      }
    }
  }

  /// `every 5 minutes`, `at minutes 0, 7 and 9`, `from 09:00 to 17:59`.
  private static func unitWords(_ mask: UInt64, _ field: CronField) -> String {
    let values = values(mask, field)
    let unit = field.rawValue
    if values.count == field.cycle { return "every \(unit)" }
    let step = values.count > 1 ? values[1] - values[0] : 0
    let isSeries = zip(values, values.dropFirst()).allSatisfy { $1 - $0 == step }
    if values.count > 2, isSeries, step > 1 {
      let reaches =
        values[0] < step && values[values.count - 1] + step > field.values.upperBound
        && field.cycle % step == 0
      if reaches, values[0] == 0 { return "every \(step) \(unit)s" }
      let end = reaches ? "" : " to \(values[values.count - 1])"
      return "every \(step) \(unit)s from \(unit) \(values[0])" + end
    }
    if field == .hour {
      return join(
        spans(values).map { span in
          span.count == 1
            ? "in the hour from \(span.lowerBound.padded(2)):00"
            : "from \(span.lowerBound.padded(2)):00 to \(span.upperBound.padded(2)):59"
        })
    }
    let list = spans(values).map { $0.count == 1 ? "\($0.lowerBound)" : Self.span($0, [], 0) }
    return "at \(unit)\(values.count == 1 ? "" : "s") " + join(list)
  }

  static func values(_ mask: UInt64, _ field: CronField) -> [Int] {
    field.values.filter { mask >> UInt64($0) & 1 == 1 }
  }

  /// Runs of three and more as ranges, shorter ones value by value.
  static func spans(_ values: [Int]) -> [ClosedRange<Int>] {
    runs(of: values).flatMap { run in run.count < 3 ? run.map { $0...$0 } : [run] }
  }

  /// A value or a range by name; without names by number.
  static func span(_ range: ClosedRange<Int>, _ names: [String], _ first: Int) -> String {
    func name(_ value: Int) -> String {
      names.isEmpty ? "\(value)" : names[(value - first) % names.count]
    }
    return range.count == 1
      ? name(range.lowerBound) : "\(name(range.lowerBound)) to \(name(range.upperBound))"
  }

  static func join(_ parts: [String], with word: String = "and") -> String {
    guard parts.count > 1 else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " \(word) " + parts[parts.count - 1]
  }
}

extension CronDays {
  /// `on day 1 and 15 of the month`, `on Monday to Friday`; empty for every day.
  fileprivate func words(rule: CronDayRule) -> String {
    switch (isAnyDayOfMonth, isAnyDayOfWeek) {
    case (true, true): return ""
    case (false, true): return "on " + monthWords
    case (true, false): return "on " + weekWords()
    case (false, false):
      return wantsBoth(rule)
        ? "on \(monthWords), if that is \(weekWords(with: "or"))"
        : "on \(monthWords) or on \(weekWords())"
    }
  }

  private var monthWords: String {
    let days = (1...31).filter { daysOfMonth >> UInt32($0) & 1 == 1 }
    var parts: [String] = []
    if !days.isEmpty {
      let list = CronExpression.spans(days).map { CronExpression.span($0, [], 0) }
      parts.append("day \(CronExpression.join(list)) of the month")
    }
    Self.forEachBit(UInt64(daysBeforeLast)) { parts.append(Self.lastDay(before: $0)) }
    Self.forEachBit(UInt64(nearestWeekdays)) {
      parts.append("the weekday nearest to day \($0) of the month")
    }
    Self.forEachBit(UInt64(nearestWeekdaysBeforeLast)) {
      parts.append("the weekday nearest to " + Self.lastDay(before: $0))
    }
    return CronExpression.join(parts)
  }

  private static func lastDay(before days: Int) -> String {
    switch days {
    case 0: "the last day of the month"
    case 1: "the day before the last of the month"
    default: "the day \(days) days before the last of the month"
    }
  }

  private func weekWords(with word: String = "and") -> String {
    // The week starts on Monday; 7 is Sunday again.
    let week = (1...7).filter { weekdays >> UInt8($0 % 7) & 1 == 1 }
    var parts = CronExpression.spans(week).map {
      CronExpression.span($0, CivilTime.weekdayNames, 0)
    }
    let order = ["first", "second", "third", "fourth", "fifth"]
    Self.forEachBit(nthWeekdays) {
      parts.append("the \(order[$0 % 5]) \(CivilTime.weekdayNames[$0 / 5]) of the month")
    }
    Self.forEachBit(UInt64(lastWeekdays)) {
      parts.append("the last \(CivilTime.weekdayNames[$0]) of the month")
    }
    return CronExpression.join(parts, with: word)
  }
}

extension CronYears {
  fileprivate var words: String {
    CronExpression.join(
      terms.map { term in
        let range = CronExpression.span(term.first...term.last, [], 0)
        return term.step > 1 ? "every \(term.step) years from \(range)" : range
      })
  }
}
