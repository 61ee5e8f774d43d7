package import TaktTime

/// A likely mistake in a valid cron expression.
package enum CronWarning: Hashable, Sendable {
  /// A step that does not divide its field, so that one gap is shorter: `*/45` runs at minute 0
  /// and 45, then at 0 again. The gaps are in the field's unit.
  case unevenStep(CronField, step: Int, lastGap: Int)
  /// `* 3 * * *`, `* */5 * * *`: each minute of single hours, where once in each is more often meant.
  case everyMinute(hours: [Int], isCron: Bool = true)
  /// `* * 1 * *`: each minute of single days of the month.
  case everyMinuteOfDays
  /// `* 0 3 * * *`, with seconds first: each second of a minute in single hours.
  case everySecond(hours: [Int], minute: Int)
  /// A step of days, which starts again in each month: `*/2` runs on the 31st and the 1st.
  case dayStep(Int, first: Int, last: Int)
  /// A day that these months do not have, or February only in leap years.
  case rareDay(RareDay)
  /// Days of the week, 0 for Sunday, of which only the fifth in a month counts.
  case fifthWeekdays([Int])
  /// Both day fields are given, so that `days` decides what they mean together.
  case bothDayFields(CronDayRule)
  /// Both day fields are given, and one of them starts with `*`, so that both must match.
  case starDayField(CronField)
  /// A clock change skips a time, which the job drops; it first does so on this local day.
  case skippedTime(CivilTime, zone: String, isCron: Bool)
}

extension CronExpression {
  /// Likely mistakes, apart from clock changes.
  ///
  /// - Parameter hasDayStep: true if the days of the month are written with a step, and not as a
  ///   list.
  package func warnings(days rule: CronDayRule = .cron, hasDayStep: Bool = true) -> [CronWarning] {
    var warnings: [CronWarning] = []
    let fields: [(CronField, UInt64, Bool)] = [
      (.second, seconds, openFields.contains(.second)),
      (.minute, minutes, openFields.contains(.minute)),
      (.hour, hours, openFields.contains(.hour)), (.month, months, true),
    ]
    for (field, mask, isOpen) in fields where isOpen {
      if let warning = Self.unevenStep(field, mask) { warnings.append(warning) }
    }
    if let warning = wholeHour { warnings.append(warning) }
    if let warning = days.warning(in: months, hasStep: hasDayStep, last: "L") {
      warnings.append(warning)
    }
    if hasBothDayFields {
      warnings.append(
        rule == .cron && days.isStar
          ? .starDayField(days.isStarDayOfMonth ? .dayOfMonth : .dayOfWeek)
          : .bothDayFields(rule.settled(for: self)))
    }
    return warnings
  }

  /// A star in the field before the first single number. The clear way to write it is `0-59`.
  private var wholeHour: CronWarning? {
    let list = Self.values(hours, .hour)
    let hasLoneHour = Self.hasLoneHour(hours)
    if openFields.contains(.second), seconds.nonzeroBitCount == 60, minutes.nonzeroBitCount == 1 {
      return hasLoneHour
        ? .everySecond(hours: list, minute: minutes.trailingZeroBitCount) : nil
    }
    guard openFields.contains(.minute), minutes.nonzeroBitCount == 60 else { return nil }
    if list.count == 24 { return days.haveLoneDay ? .everyMinuteOfDays : nil }
    return hasLoneHour ? .everyMinute(hours: list) : nil
  }

  /// True if hours, bits 0 to 23, have a single one. A range, such as 9-17, is likely intended.
  static func hasLoneHour(_ hours: UInt64) -> Bool {
    values(hours, .hour).contains { hour in
      [1, 23].allSatisfy { hours >> UInt64((hour + $0) % 24) & 1 == 0 }
    }
  }

  /// A series that starts again before its step is over.
  private static func unevenStep(_ field: CronField, _ mask: UInt64) -> CronWarning? {
    let values = field.values.filter { mask >> UInt64($0) & 1 == 1 }
    guard values.count > 1 else { return nil }
    let step = values[1] - values[0]
    let lastGap = field.cycle - (values[values.count - 1] - values[0])
    let isSeries = zip(values, values.dropFirst()).allSatisfy { $1 - $0 == step }
    // Two months, such as 3 and 12, are more likely meant as they are.
    guard isSeries, step > 1, lastGap < step, field != .month || values.count > 2 else {
      return nil
    }
    return .unevenStep(field, step: step, lastGap: lastGap)
  }
}

extension ClockRule {
  /// The time ahead in which clock changes are examined.
  private static let foresight = Duration.seconds(400 * 86_400)

  /// The first time within a year or so that a clock change skips and that this rule drops, so that
  /// nothing runs that day: a rule that recurs within the hour misses nothing by it.
  package func droppedTime(after instant: WallInstant) -> CronWarning? {
    var repaired = self
    repaired.dst.gap = .runAfter
    var span = zone.span(atEpochSeconds: instant.nanoseconds.flooredQuotient(by: 1_000_000_000))
    let horizon = (instant + Self.foresight).milliseconds / 1000
    while span.end != .max, span.end < horizon {
      let next = zone.span(atEpochSeconds: span.end)
      let change = WallInstant(milliseconds: span.end * 1000)
      let before = WallInstant(milliseconds: change.milliseconds - 1)
      if next.offsetSeconds > span.offsetSeconds, repaired.next(after: before) == change,
        self.next(after: before).map({ $0 - change > .seconds(3600) }) ?? true,
        let skipped = skippedTime(after: span)
      {
        return .skippedTime(skipped, zone: zone.name, isCron: cause == .cron)
      }
      span = next
    }
    return nil
  }

  /// The first local time between two spans that the expression names.
  private func skippedTime(after span: ZoneSpan) -> CivilTime? {
    // In a zone without changes, the same clock continues.
    var steady = self
    steady.zone = .utc
    let gap = WallInstant(milliseconds: (span.end + Int64(span.offsetSeconds)) * 1000)
    return steady.next(after: WallInstant(milliseconds: gap.milliseconds - 1)).map {
      CivilTime(epochSeconds: $0.milliseconds / 1000)
    }
  }
}

extension CronWarning {
  /// One sentence without a full stop.
  package var sentence: String {
    switch self {
    case .unevenStep(let field, let step, let lastGap):
      let unit = field.rawValue
      return "the step of \(step) \(unit)s is uneven: the last gap of each cycle is "
        + "\(lastGap) \(unit)\(lastGap == 1 ? "" : "s")"
    case .everyMinute(let hours, _):
      if hours.count == 1 {
        let hour = hours[0].padded(2)
        return "this is every minute from \(hour):00 to \(hour):59, 60 slots a day"
      }
      let list = CronExpression.join(hours.map(String.init))
      return "this is every minute of the hours \(list), \(hours.count * 60) slots a day"
    case .everyMinuteOfDays: return "this is every minute of each of these days, 1440 slots a day"
    case .dayStep(let step, let first, let last):
      return "the step of \(step) days starts again in each month: day \(first) follows day \(last)"
    case .rareDay(let rare): return rare.sentence
    case .fifthWeekdays(let days):
      let names = CronExpression.join(days.map { CivilTime.weekdayNames[$0] }, with: "or")
      return "only some months have a fifth \(names), and so a slot"
    case .everySecond(let hours, let minute):
      if hours.count == 1 {
        let time = "\(hours[0].padded(2)):\(minute.padded(2))"
        return "this is every second of the minute \(time), 60 slots a day"
      }
      let list = CronExpression.join(hours.map(String.init))
      return "this is every second of minute \(minute) of the hours \(list), "
        + "\(hours.count * 60) slots a day"
    case .starDayField(let field):
      return
        "the \(field.rawValue) field starts with '*', so a day must match both day fields, as in "
        + "cron"
    case .bothDayFields(.any), .bothDayFields(.cron):
      return "both day fields are set: the job runs on days that match either of them"
    case .bothDayFields(.all):
      return "both day fields are set: the job runs only on days that match both of them"
    case .skippedTime(let time, let zone, let isCron):
      let moment = "\(time.hour.padded(2)):\(time.minute.padded(2))"
      let day = "\(time.year.padded(4))-\(time.month.padded(2))-\(time.day.padded(2))"
      return
        "\(moment) does not exist on \(day) in \(zone) (clocks go forward), and "
        + (isCron ? "an hour field with '*'" : "'calendar'") + " drops the times of that hour"
    }
  }

  /// Advice; nil if the sentence suffices.
  package var hint: String? {
    switch self {
    case .unevenStep(_, let step, _): "use 'every' for a step of \(step) that never breaks"
    case .everyMinute(hours: let hours, isCron: false):
      "to run once in \(hours.count == 1 ? "this hour" : "each of these hours"), write '00' for "
        + "the minute; if every minute is meant, '00..59'"
    case .everyMinute(let hours, _) where hours.count > 1:
      "to run once in each of these hours, start with '0'; if every minute is meant, with '0-59'"
    case .dayStep(let step, _, _):
      "to run every \(step) days across months, write '*' for the day of month and add "
        + "nth: {every: \(step), unit: days, starting: 2026-01-01}"
    case .rareDay(let rare): rare.hint
    case .fifthWeekdays(let days):
      "for the last \(CronExpression.join(days.map { CivilTime.weekdayNames[$0] })) of each month, "
        + "write '\(days.map { CronField.dayOfWeek.names[$0] + "L" }.joined(separator: ","))'"
    case .everyMinute(let hours, _):
      "to run once at \(hours[0].padded(2)):00, start with '0 \(hours[0])'; if every minute is meant, with "
        + "'0-59 \(hours[0])'"
    case .everyMinuteOfDays:
      "to run once on each, start with '0 0'; if every minute is meant, with '0-59'"
    case .everySecond(let hours, let minute) where hours.count > 1:
      "to run once in each of these hours, start with '0 \(minute)'; if every second is meant, "
        + "with '0-59 \(minute)'"
    case .everySecond(let hours, let minute):
      "to run once, start with '0 \(minute) \(hours[0])'; if every second is meant, with "
        + "'0-59 \(minute) \(hours[0])'"
    case .starDayField:
      "use 'days: any' for days that match either of them, as in earlier versions of takt; 'days: cron' "
        + "if this is meant"
    case .bothDayFields(.any), .bothDayFields(.cron): "use 'days: all' for days that match both"
    case .bothDayFields(.all): nil
    case .skippedTime:
      "set 'dst: {gap: run_after}' to run them right after the change, or 'dst: {gap: skip}' if this "
        + "is meant; under 'defaults' for all jobs"
    }
  }
}
