import TaktTime

extension SharedCalendar {
  /// `holidays (12 days, 2 recurring events)`
  package var words: String {
    "\(name) (\(parts.isEmpty ? "empty" : parts.joined(separator: ", ")))"
  }

  /// `words`, with the days themselves where they are few, else with a number that differs where the
  /// calendar does: what a plan compares.
  var identifyingWords: String {
    let ranges = content.days.ranges
    let isShort =
      ranges.count <= Self.shownMax && content.times.isEmpty && content.localTimes.isEmpty
      && content.events.isEmpty && content.expressions.isEmpty
    if isShort { return "\(name) (\(ranges.map(Self.days).joined(separator: ", ")))" }
    let hash = String(StableHash.of(identity) & 0xffff_ffff, radix: 16)
    return "\(name) (\((parts + ["content \(hash)"]).joined(separator: ", ")))"
  }

  private static let shownMax = 6

  private var parts: [String] {
    var parts: [String] = []
    func add(_ count: Int, _ word: String) {
      if count > 0 { parts.append("\(count) \(word)\(count == 1 ? "" : "s")") }
    }
    add(Int(content.days.numberCount), "day")
    add(content.times.count + content.localTimes.count, "time range")
    add(content.events.count, "recurring event")
    add(content.expressions.count, "expression")
    return parts
  }

  /// All of its contents in one text.
  private var identity: String {
    let content = self.content
    let events = content.events.map {
      "\($0.recurrence.normalized) \($0.length) \($0.isWholeDays) \($0.zone?.name ?? "")"
        + ($0.nominalDays > 0 ? " \($0.nominalDays)" : "")
    }
    let expressions = content.expressions.map {
      "\($0.expression.normalized) \($0.isWholeDays) \($0.zone?.name ?? "")"
    }
    return
      ([content.days.text, content.localTimes.text, content.times.text] + events + expressions)
      .joined(separator: "\n")
  }

  /// `2026-12-25`, `2026-12-24 to 2026-12-26`
  private static func days(_ range: Range<Int64>) -> String {
    let first = DayFilter.date(range.lowerBound)
    return range.count == 1 ? first : "\(first) to \(DayFilter.date(range.upperBound - 1))"
  }
}

extension CalendarRules {
  /// A line for the times left out, and for the moves of their slots.
  var words: [String] {
    var lines: [String] = except.map { "except calendar \($0.words), in \(zone.name)" }
    if hasOnlyOn {
      let times = onlyOnTimes.map {
        "\($0.isWholeDays ? "days" : "times") that match \($0.expression.normalized), in "
          + $0.zone.name
      }
      lines.append(
        "only on "
          + (onlyOn.map { "calendar \($0.words), in \(zone.name)" } + times)
          .joined(separator: " or "))
    }
    if let direction {
      lines.append(
        "times of an excluded day move to the \(direction.rawValue) day that is not excluded")
    }
    return lines
  }

  var exceptWords: [String] { except.map { "\($0.identifyingWords) in \(zone.name)" } }

  var onlyOnWords: [String] {
    onlyOn.map { "\($0.identifyingWords) in \(zone.name)" }
      + onlyOnTimes.map(\.identifyingWords)
  }
}

extension Exclusion {
  var identifyingWords: String {
    "\(isWholeDays ? "days" : "seconds") of \(expression.normalized) in \(zone.name)"
  }
}

extension DayFilter {
  /// The calendars whose days are not working days, as a plan compares them.
  var holidayWords: String? {
    holidays.map { $0.value.calendars.map(\.identifyingWords).joined(separator: ", ") }
  }
}
