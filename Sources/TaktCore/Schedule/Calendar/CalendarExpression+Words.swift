import TaktTime

extension CalendarExpression {
  /// The expression in words, such as `at 09:00 on Monday to Friday`.
  package var words: String {
    var parts = [timeWords]
    if weekdays != 0 {
      let given = (0..<7).filter { weekdays >> UInt8($0) & 1 == 1 }
      // Its days are counted from Monday.
      let names = CronExpression.spans(given).map {
        CronExpression.span($0, CivilTime.weekdayNames, -1)
      }
      parts.append("on " + CronExpression.join(names))
    }
    if !days.isEmpty {
      let list = isFromMonthEnd ? days.map(Self.dayFromEnd) : days.map { "day " + Self.item($0) }
      let condition = weekdays == 0 ? "on " : "if that is "
      parts.append(condition + CronExpression.join(list, with: "or") + " of the month")
    }
    if !months.isEmpty {
      let names = months.map { Self.item($0, CivilTime.monthNames) }
      parts.append("in " + CronExpression.join(names))
    }
    if !years.isEmpty {
      parts.append("in " + CronExpression.join(years.map { Self.item($0) }))
    }
    if let zoneName { parts.append("in the zone \(zoneName)") }
    return parts.joined(separator: " ")
  }

  private var timeWords: String {
    let clock = clockTimes
    if !clock.isEmpty { return "at " + CronExpression.join(clock) }
    var parts: [String] = []
    let isFullMinute = seconds == [CalendarTerm(0)]
    if !isFullMinute { parts.append(Self.unit(.second, seconds)) }
    if isFullMinute, hours.isEmpty, minutes == [CalendarTerm(0)] {
      return "every hour on the hour"
    }
    if isFullMinute || !minutes.isEmpty { parts.append(Self.unit(.minute, minutes)) }
    if !hours.isEmpty {
      parts.append(Self.unit(.hour, hours))
    } else if !minutes.isEmpty, minutes.allSatisfy({ $0.step == 0 }) {
      parts.append("every hour")
    }
    return parts.joined(separator: ", ")
  }

  /// Times such as `09:00`, when they are few; else none.
  private var clockTimes: [String] {
    let lists = [hours, minutes, seconds]
    let areSingle = lists.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.step == 0 } }
    guard areSingle, lists.reduce(1, { $0 * $1.count }) <= 4 else { return [] }
    return hours.flatMap { hour in
      minutes.flatMap { minute in
        seconds.map { second in
          let time = hour.start.padded(2) + ":" + minute.start.padded(2)
          return second.start == 0 ? time : time + ":" + Self.second(second.start, width: 2)
        }
      }
    }
  }

  /// `every 5 minutes`, `at minutes 0, 7 to 9`.
  private static func unit(_ unit: CalendarUnit, _ terms: [CalendarTerm]) -> String {
    func number(_ value: Int) -> String {
      unit == .second ? second(value, width: 1) : "\(value)"
    }
    guard let first = terms.first else { return "every \(unit.word)" }
    if terms.count == 1, first.step > 0, first.stop == nil || first.step != unit.scale {
      let isWhole = first.step == unit.scale
      var text = isWhole ? "every \(unit.word)" : "every \(number(first.step)) \(unit.word)s"
      if first.start > 0 || first.stop != nil {
        text += " from \(unit.word) \(number(first.start))"
      }
      if let stop = first.stop { text += " to \(number(stop))" }
      return text
    }
    let items = terms.map { term in
      var text = number(term.start)
      if let stop = term.stop { text += " to \(number(stop))" }
      if term.step > 0, term.stop == nil || term.step != unit.scale {
        text += " in steps of \(number(term.step))"
      }
      return text
    }
    let isOne = terms.count == 1 && first.step == 0
    return "at \(unit.word)\(isOne ? "" : "s") " + CronExpression.join(items)
  }

  /// A value, a range or a repetition, by name where there are names.
  private static func item(_ term: CalendarTerm, _ names: [String] = []) -> String {
    func name(_ value: Int) -> String { names.isEmpty ? "\(value)" : names[value - 1] }
    var text = name(term.start)
    if let stop = term.stop { text += " to \(name(stop))" }
    if term.step > 0, term.stop == nil || term.step != 1 {
      text += (term.stop == nil ? " onwards" : "") + " in steps of \(term.step)"
    }
    return text
  }

  private static func dayFromEnd(_ term: CalendarTerm) -> String {
    func name(_ count: Int) -> String { RecurrenceRule.place(-count) + " day" }
    guard term.step > 0 else { return name(term.start) }
    let range =
      term.stop.map { "\(name($0)) to \(name(term.start))" } ?? "\(name(term.start)) onwards"
    return range + (term.stop == nil || term.step != 1 ? " in steps of \(term.step)" : "")
  }
}
