extension CronProblem {
  /// One sentence without a full stop, such as `60 is outside 0 to 59 in the minute field`.
  package var sentence: String {
    let place = field.map { " in the \($0.rawValue) field" } ?? ""
    switch reason {
    case .empty: return "the cron expression is empty"
    case .fieldCount(let count):
      return "a cron expression has 5, 6 or 7 fields, not \(count)"
    case .unknownMacro(let name, _): return "there is no '\(name)'"
    case .reboot: return "'@reboot' is no time of a clock"
    case .interval: return "'@every' is an interval, not a cron expression"
    case .zonePrefix: return "a cron expression cannot name its time zone"
    case .missingValue: return "a value is missing" + place
    case .unexpected(let sign): return "'\(sign)' cannot stand here" + place
    case .unknownName(let name, _): return "there is no '\(name)'" + place
    case .outOfRange(let value, let range):
      return "\(value) is outside \(range.lowerBound) to \(range.upperBound)" + place
    case .badStep(let step, let max): return "a step of \(step) is outside 1 to \(max)" + place
    case .backwardRange(let first, let last):
      return "the range from \(first) to \(last) runs backwards" + place
    case .mustStandAlone(let form): return "'\(form)' must be the whole field" + place
    case .otherField(let sign): return "'\(sign)' has no meaning" + place
    }
  }

  /// What to do about it; nil when the sentence says enough.
  package var hint: String? {
    switch reason {
    case .fieldCount:
      return "write minute, hour, day of month, month, day of week; a sixth field, seconds, stands "
        + "first, a seventh, the year, last"
    case .unknownMacro(_, let nearest), .unknownName(_, let nearest):
      return nearest.map { "did you mean '\($0)'?" }
    case .reboot: return "use 'on: boot'"
    case .interval(let duration): return "use 'every: \(duration)'"
    case .zonePrefix(let zone): return "use 'timezone: \(zone)'"
    case .otherField(let sign): return sign == "#" || sign == "L" ? nil : Self.dayHint
    case .empty, .missingValue, .unexpected, .outOfRange, .badStep, .backwardRange,
      .mustStandAlone:
      return nil
    }
  }

  private static let dayHint = "'W' belongs to the day of month"
}
