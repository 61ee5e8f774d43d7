import TaktTime

extension Recurrence {
  /// The recurrence in words, such as `every 2 weeks on Monday at 09:00, from 2026-01-05 on`.
  package var words: String {
    var text = rule?.words ?? "at \(Self.count(dates.count, "time"))"
    text += ", from \(Self.date(start)) on"
    switch rule?.end {
    case .count(let count): text += ", \(Self.count(count, "time"))"
    case .local(let time): text += ", until \(Self.time(time))"
    case .instant(let time): text += ", until \(Self.time(time)) UTC"
    case .never, nil: break
    }
    if rule != nil, !dates.isEmpty { text += ", and at \(Self.count(dates.count, "more time"))" }
    if !exceptions.isEmpty { text += ", except \(Self.count(exceptions.count, "time"))" }
    return text
  }

  private static func count(_ number: Int, _ word: String) -> String {
    "\(number) \(word)\(number == 1 ? "" : "s")"
  }

  private static func date(_ local: Int64) -> String {
    let civil = CivilTime(epochSeconds: local)
    return civil.year.padded(4) + "-" + civil.month.padded(2) + "-" + civil.day.padded(2)
  }

  private static func time(_ local: Int64) -> String {
    let civil = CivilTime(epochSeconds: local)
    return date(local) + " " + civil.hour.padded(2) + ":" + civil.minute.padded(2)
      + (civil.second == 0 ? "" : ":" + civil.second.padded(2))
  }
}

extension RecurrenceRule {
  fileprivate var words: String {
    let unit =
      switch frequency {
      case .yearly: "year"
      case .monthly: "month"
      case .weekly: "week"
      case .daily: "day"
      case .hourly: "hour"
      case .minutely: "minute"
      case .secondly: "second"
      }
    var text = interval == 1 ? "every \(unit)" : "every \(interval) \(unit)s"
    var conditions = days.words(frequency)
    // In a period longer than a day the days are named, below that they limit it.
    if frequency < .daily, !conditions.isEmpty { text += " " + conditions.removeFirst().named }
    for condition in conditions { text += ", if that is \(condition.condition)" }
    if days.months != 0 {
      let months = (1...12).filter { days.months >> UInt16($0) & 1 == 1 }
      text +=
        " in "
        + CronExpression.join(
          CronExpression.spans(months).map { CronExpression.span($0, CivilTime.monthNames, 1) })
    }
    text += (conditions.isEmpty || timeWords.isEmpty ? "" : ",") + timeWords
    if !positions.isEmpty {
      text += ", only " + CronExpression.join(positions.map(Self.place)) + " of each \(unit)"
    }
    if days.weekStart != 1, dependsOnWeekStart {
      text += ", with weeks that start on \(CivilTime.weekdayNames[days.weekStart])"
    }
    return text
  }

  /// True if other days are due when weeks start on another day.
  private var dependsOnWeekStart: Bool {
    if days.weeks != 0 || days.lastWeeks != 0 { return true }
    guard frequency == .weekly else { return false }
    let first = CivilTime.weekday(daysSinceEpoch: start.flooredQuotient(by: 86_400))
    return interval > 1
      ? days.weekdays != 1 << UInt8(first)
      : !positions.isEmpty && days.weekdays.nonzeroBitCount > 1
  }

  private var timeWords: String {
    if frequency.seconds == nil, times.count <= 4 {
      return " at " + CronExpression.join((0..<times.count).map { Self.clock(times[$0]) })
    }
    var parts: [String] = []
    func add(_ bits: UInt64, _ count: Int, _ unit: String) {
      guard bits.nonzeroBitCount < count else { return }
      let values = (0..<count).filter { bits >> UInt64($0) & 1 == 1 }
      let list = CronExpression.spans(values).map { CronExpression.span($0, [], 0) }
      parts.append("\(unit)\(values.count == 1 ? "" : "s") " + CronExpression.join(list))
    }
    add(UInt64(times.hours), 24, "hour")
    add(times.minutes, 60, "minute")
    if times.seconds != 1 { add(times.seconds, 60, "second") }
    return parts.isEmpty ? "" : " at " + parts.joined(separator: ", ")
  }

  private static func clock(_ time: Int64) -> String {
    let second = Int(time % 60)
    return Int(time / 3600).padded(2) + ":" + Int(time / 60 % 60).padded(2)
      + (second == 0 ? "" : ":" + second.padded(2))
  }

  /// `the first`, `the last`, `the seventh-to-last`
  static func place(_ number: Int) -> String {
    switch number {
    case -1: "the last"
    case ..<0: "the \(ordinal(-number))-to-last"
    default: "the \(ordinal(number))"
    }
  }

  /// `second`, `22nd`
  static func ordinal(_ number: Int) -> String {
    let names = [
      "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
      "eleventh", "twelfth",
    ]
    if number <= names.count { return names[number - 1] }
    let isTeen = (11...13).contains(number % 100)
    let ends = [1: "st", 2: "nd", 3: "rd"]
    return "\(number)" + (isTeen ? "th" : ends[number % 10] ?? "th")
  }
}

extension RecurrenceDays {
  /// A list of days in words: as those that a rule names, and as what limits others.
  fileprivate struct Words {
    var named: String
    var condition: String

    init(_ list: [String], _ end: String = "", named word: String = "on ", condition: String = "") {
      named = word + CronExpression.join(list) + end
      self.condition = condition + CronExpression.join(list, with: "or") + end
    }
  }

  /// Those of each list of days that is given.
  fileprivate func words(_ frequency: RecurrenceRule.Frequency) -> [Words] {
    [monthDayWords(frequency), weekdayWords(frequency), yearDayWords, weekWords].compactMap(\.self)
  }

  private func monthDayWords(_ frequency: RecurrenceRule.Frequency) -> Words? {
    let days =
      CronExpression.spans((1...31).filter { monthDays >> UInt32($0) & 1 == 1 })
      .map { "day " + CronExpression.span($0, [], 0) }
      + (1...31).filter { lastMonthDays >> UInt32($0) & 1 == 1 }.map {
        RecurrenceRule.place(-$0) + " day"
      }
    guard !days.isEmpty else { return nil }
    // A rule of a year without months has them in each.
    return Words(days, frequency == .yearly && months == 0 ? " of each month" : " of the month")
  }

  private func weekdayWords(_ frequency: RecurrenceRule.Frequency) -> Words? {
    let week = (1...7).filter { weekdays >> UInt8($0 % 7) & 1 == 1 }
    let nth = nthWeekdays.map {
      RecurrenceRule.place($0.number) + " " + CivilTime.weekdayNames[$0.weekday] + " of the "
        + (areOfYear ? "year" : "month")
    }
    guard !week.isEmpty || !nth.isEmpty else { return nil }
    if frequency >= .weekly || week.isEmpty {
      let days = CronExpression.spans(week).map {
        CronExpression.span($0, CivilTime.weekdayNames, 0)
      }
      return Words(days + nth)
    }
    // A month and a year have several of them.
    var words = Words(week.map { CivilTime.weekdayNames[$0 % 7] } + nth, named: "on each ")
    if week.count == 7 { words = Words(["day"] + nth, named: "on each ") }
    return words
  }

  private var yearDayWords: Words? {
    guard !yearDays.isEmpty else { return nil }
    return Words(
      yearDays.map { $0 > 0 ? "day \($0)" : RecurrenceRule.place($0) + " day" }, " of the year")
  }

  private var weekWords: Words? {
    let weeks =
      (1...53).filter { self.weeks >> UInt64($0) & 1 == 1 }.map { "week \($0)" }
      + (1...53).filter { lastWeeks >> UInt64($0) & 1 == 1 }.map {
        RecurrenceRule.place(-$0) + " week"
      }
    return weeks.isEmpty ? nil : Words(weeks, " of the year", named: "in ", condition: "in ")
  }
}
