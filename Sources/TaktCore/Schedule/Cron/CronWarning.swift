package import TaktTime

/// What a person may not have meant by a cron expression that is right.
package enum CronWarning: Hashable, Sendable {
  /// A step that does not divide its field, so that one gap is shorter: `*/45` runs at minute 0
  /// and 45, then at 0 again. The gaps are in the field's unit.
  case unevenStep(CronField, step: Int, lastGap: Int)
  /// `* 3 * * *`: each minute of an hour, where once in the hour is more often meant.
  case everyMinute(hour: Int)
  /// `* 0 3 * * *`, with seconds first: each second of a minute.
  case everySecond(hour: Int, minute: Int)
  /// Both day fields are given, so that `days` decides what they mean together.
  case bothDayFields(CronDayRule)
  /// A clock change skips a time; it first does so on this local day, and the job runs at
  /// `runsAt` or, when that is nil, not at all that day.
  case skippedTime(CivilTime, zone: String, runsAt: WallInstant?)
}

extension CronExpression {
  /// What may not have been meant, apart from clock changes.
  package func warnings(days rule: CronDayRule = .any) -> [CronWarning] {
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
    if hasBothDayFields { warnings.append(.bothDayFields(rule)) }
    return warnings
  }

  /// The first time after `instant` that a clock change of the zone skips, within ten years; nil
  /// when there is none, or when the expression recurs and goes on after the gap in any case.
  package func skippedTime(
    after instant: WallInstant, in zone: Zone, days rule: CronDayRule = .any,
    dst: DSTPolicy = .cron
  ) -> CronWarning? {
    guard !recursWithinHour else { return nil }
    let search = CronSearch(expression: self, rule: rule)
    let start = instant.nanoseconds.flooredQuotient(by: 1_000_000_000)
    var span = zone.span(atEpochSeconds: start)
    while span.end != .max, span.end < start + 10 * 366 * 86_400 {
      let next = zone.span(atEpochSeconds: span.end)
      let gap = span.end + Int64(span.offsetSeconds)
      let resumes = span.end + Int64(next.offsetSeconds)
      if resumes > gap, let match = search.first(from: gap), match < resumes {
        let end = WallInstant(milliseconds: span.end * 1000)
        return .skippedTime(
          CivilTime(epochSeconds: match), zone: zone.name,
          runsAt: dst.gap == .runAfter ? end : nil)
      }
      span = next
    }
    return nil
  }

  /// A star in the field before the first single number. Who means it writes `0-59`.
  private var wholeHour: CronWarning? {
    guard hours.nonzeroBitCount == 1 else { return nil }
    if openFields.contains(.second), seconds.nonzeroBitCount == 60, minutes.nonzeroBitCount == 1 {
      return .everySecond(
        hour: hours.trailingZeroBitCount, minute: minutes.trailingZeroBitCount)
    }
    guard openFields.contains(.minute), minutes.nonzeroBitCount == 60 else { return nil }
    return .everyMinute(hour: hours.trailingZeroBitCount)
  }

  /// A series that begins anew before its step is over.
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

extension CronWarning {
  /// One sentence without a full stop.
  package var sentence: String {
    switch self {
    case .unevenStep(let field, let step, let lastGap):
      let unit = field.rawValue
      return "the step of \(step) \(unit)s is uneven: the last gap of each cycle is "
        + "\(lastGap) \(unit)\(lastGap == 1 ? "" : "s")"
    case .everyMinute(let hour):
      return
        "this is every minute from \(hour.padded(2)):00 to \(hour.padded(2)):59, 60 slots a day"
    case .everySecond(let hour, let minute):
      let time = "\(hour.padded(2)):\(minute.padded(2))"
      return "this is every second of the minute \(time), 60 slots a day"
    case .bothDayFields(.any):
      return "both day fields are set: the job runs on days that match either of them"
    case .bothDayFields(.all):
      return "both day fields are set: the job runs only on days that match both of them"
    case .skippedTime(let time, let zone, let runsAt):
      let moment = "\(time.hour.padded(2)):\(time.minute.padded(2))"
      let day = "\(time.year.padded(4))-\(time.month.padded(2))-\(time.day.padded(2))"
      let end =
        runsAt == nil ? "the job does not run that day" : "the job runs right after the change"
      return "\(moment) does not exist on \(day) in \(zone) (clocks go forward); \(end)"
    }
  }

  /// What to do about it; nil when the sentence says enough.
  package var hint: String? {
    switch self {
    case .unevenStep(_, let step, _): "use 'every' for a step of \(step) that never breaks"
    case .everyMinute(let hour):
      "to run once at \(hour.padded(2)):00, start with '0 \(hour)'; if every minute is meant, with "
        + "'0-59 \(hour)'"
    case .everySecond(let hour, let minute):
      "to run once, start with '0 \(minute) \(hour)'; if every second is meant, with "
        + "'0-59 \(minute) \(hour)'"
    case .bothDayFields(.any): "use 'days: all' for days that match both"
    case .bothDayFields(.all): nil
    case .skippedTime: "choose another time, or set 'dst: {gap: skip}' or 'timezone: UTC'"
    }
  }
}
