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
    let dayWords = days.words
    if !dayWords.isEmpty { text += " " + dayWords.joined(separator: ", if that is ") }
    if days.months != 0 {
      let months = (1...12).filter { days.months >> UInt16($0) & 1 == 1 }
      text +=
        " in "
        + CronExpression.join(
          CronExpression.spans(months).map { CronExpression.span($0, CivilTime.monthNames, 1) })
    }
    text += timeWords
    if !positions.isEmpty {
      text += ", only " + CronExpression.join(positions.map(Self.place)) + " of each \(unit)"
    }
    return text
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

  /// `the first`, `the last`, `number 12`
  static func place(_ number: Int) -> String {
    let names = ["first", "second", "third", "fourth", "fifth"]
    if number == -1 { return "the last" }
    if number < 0 {
      return -number <= names.count
        ? "the \(names[-number - 1])-to-last" : "number \(-number) from the last"
    }
    return number <= names.count ? "the \(names[number - 1])" : "number \(number)"
  }
}

extension RecurrenceDays {
  /// A part for each list of days.
  fileprivate var words: [String] {
    var parts: [String] = []
    let month =
      CronExpression.spans((1...31).filter { monthDays >> UInt32($0) & 1 == 1 })
      .map { "day " + CronExpression.span($0, [], 0) }
      + (1...31).filter { lastMonthDays >> UInt32($0) & 1 == 1 }.map {
        RecurrenceRule.place(-$0) + " day"
      }
    if !month.isEmpty { parts.append("on " + CronExpression.join(month) + " of the month") }
    let week = (1...7).filter { weekdays >> UInt8($0 % 7) & 1 == 1 }
    let days =
      CronExpression.spans(week).map { CronExpression.span($0, CivilTime.weekdayNames, 0) }
      + nthWeekdays.map {
        RecurrenceRule.place($0.number) + " " + CivilTime.weekdayNames[$0.weekday] + " of the "
          + (areOfYear ? "year" : "month")
      }
    if !days.isEmpty { parts.append("on " + CronExpression.join(days)) }
    if !yearDays.isEmpty {
      let list = yearDays.map { $0 > 0 ? "day \($0)" : RecurrenceRule.place($0) + " day" }
      parts.append("on " + CronExpression.join(list) + " of the year")
    }
    let weeks =
      (1...53).filter { self.weeks >> UInt64($0) & 1 == 1 }.map { "week \($0)" }
      + (1...53).filter { lastWeeks >> UInt64($0) & 1 == 1 }.map {
        RecurrenceRule.place(-$0) + " week"
      }
    if !weeks.isEmpty { parts.append("in " + CronExpression.join(weeks) + " of the year") }
    return parts
  }
}
