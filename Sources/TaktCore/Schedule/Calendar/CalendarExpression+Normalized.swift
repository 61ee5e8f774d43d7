import TaktTime

extension CalendarExpression: CustomStringConvertible {
  /// The expression in systemd's normalized form, such as `Mon..Fri *-*-* 09:00:00`. It reads back
  /// as an equal value.
  package var normalized: String {
    let date =
      Self.list(years, width: 4) + "-" + Self.list(months, width: 2)
      + (isFromMonthEnd ? "~" : "-") + Self.list(days, width: 2)
    let time =
      Self.list(hours, width: 2) + ":" + Self.list(minutes, width: 2) + ":" + secondList
    let parts = [weekdays == 0 ? nil : weekdayList, date, time, zoneName]
    return parts.compactMap { $0 }.joined(separator: " ")
  }

  package var description: String { normalized }

  private var weekdayList: String {
    let given = (0..<7).filter { weekdays >> UInt8($0) & 1 == 1 }
    return CronExpression.runs(of: given).map { run in
      let names = run.map { CivilTime.weekdayNames[($0 + 1) % 7].prefix(3) }
      return names.count > 2
        ? "\(names[0])..\(names[names.count - 1])" : names.joined(separator: ",")
    }.joined(separator: ",")
  }

  private static func list(_ terms: [CalendarTerm], width: Int) -> String {
    if terms.isEmpty { return "*" }
    if terms.count == 1, terms[0].step == 0, terms[0].stop == nil {
      return terms[0].start.padded(width)
    }
    return terms.map { term in
      var text = term.start.padded(width)
      if let stop = term.stop { text += ".." + stop.padded(width) }
      // A range goes on by ones unless it says otherwise.
      if term.step > 0, term.stop == nil || term.step != 1 { text += "/\(term.step)" }
      return text
    }.joined(separator: ",")
  }

  private var secondList: String {
    let scale = CalendarUnit.second.scale
    if seconds == [CalendarTerm(0, every: scale)] { return "*" }
    return seconds.map { term in
      var text = Self.second(term.start, width: 2)
      if let stop = term.stop { text += ".." + Self.second(stop, width: 2) }
      if term.step > 0, term.stop == nil || term.step != scale {
        text += "/" + Self.second(term.step, width: 1)
      }
      return text
    }.joined(separator: ",")
  }

  static func second(_ microseconds: Int, width: Int) -> String {
    let whole = (microseconds / 1_000_000).padded(width)
    let part = microseconds % 1_000_000
    return part == 0 ? whole : whole + "." + part.padded(6)
  }
}
