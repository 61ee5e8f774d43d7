import TaktTime

extension CronWarning {
  /// One sentence without a full stop.
  package var sentence: String {
    switch self {
    case .unevenStep(let field, let step, let lastGap):
      let unit = field.rawValue
      return "the step of \(step) \(unit)s is uneven: each time round, the last gap is "
        + "\(lastGap) \(unit)\(lastGap == 1 ? "" : "s")"
    case .bothDayFields(.any):
      return "both day fields are given: it runs on days that fit either of them"
    case .bothDayFields(.all):
      return "both day fields are given: it runs on days that fit both of them"
    case .skippedTime(let time, let zone, let runsAt):
      let moment = "\(time.hour.padded(2)):\(time.minute.padded(2))"
      let day = "\(time.year.padded(4))-\(time.month.padded(2))-\(time.day.padded(2))"
      let end = runsAt == nil ? "it does not run that day" : "it runs right after the gap"
      return "\(moment) does not exist on \(day) in \(zone), where the clock is put forward: \(end)"
    }
  }

  /// What to do about it; nil when the sentence says enough.
  package var hint: String? {
    switch self {
    case .unevenStep(_, let step, _): "use 'every' for a step of \(step) that never breaks"
    case .bothDayFields(.any): "use 'days: all' for days that fit both"
    case .bothDayFields(.all): nil
    case .skippedTime: "choose another time, or set 'dst: {gap: skip}' or 'timezone: UTC'"
    }
  }
}
