/// The reason why a text is no cron expression, as facts; `sentence` and `hint` put it in words.
package struct CronProblem: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    case empty
    /// There are neither 5, 6 nor 7 fields.
    case fieldCount(Int)
    /// There is no such `@name`; the nearest that exists.
    case unknownMacro(String, nearest: String?)
    case reboot
    /// `@every 5m` is an interval; its duration.
    case interval(String)
    /// Six fields from minute to year, as AWS has them; what to write instead.
    case aws(String)
    /// `TZ=…` or `CRON_TZ=…` is before the fields; the zone.
    case zonePrefix(String)
    /// A value is missing, such as after a comma or a `/`.
    case missingValue
    case unexpected(String)
    /// No such name of a month or a day; the nearest that exists.
    case unknownName(String, nearest: String?)
    /// A value outside the field's range, as it is written.
    case outOfRange(String, ClosedRange<Int>)
    /// A step of 0, or one that never comes to a second value.
    case badStep(String, max: Int)
    /// A range of years or of `H(…)` that runs backwards.
    case backwardRange(Int, Int)
    /// A form that must be the whole field, such as `15W`.
    case mustBeAlone(String)
    /// A sign such as `L`, `W` or `#` that other fields have.
    case otherField(String)
  }

  package var reason: Reason
  /// The field in which it is; nil when it is in none.
  package var field: CronField?
  /// UTF-8 bytes from the start of the text, from 0.
  package var offset: Int

  init(_ reason: Reason, in field: CronField? = nil, at offset: Int) {
    self.reason = reason
    self.field = field
    self.offset = offset
  }
}

extension CronProblem {
  /// One sentence without a full stop, such as `60 is outside 0 to 59 in the minute field`.
  package var sentence: String {
    let place = field.map { " in the \($0.rawValue) field" } ?? ""
    switch reason {
    case .empty: return "the cron expression is empty"
    case .fieldCount(let count):
      return "a cron expression has 5, 6 or 7 fields, not \(count)"
    case .unknownMacro(let name, _): return "unknown name '\(name)'"
    case .reboot: return "'@reboot' is not a time"
    case .interval: return "'@every' is an interval, not a cron expression"
    case .aws:
      return "these six fields go from minute to year, as in AWS; here the first is seconds"
    case .zonePrefix: return "a cron expression cannot name its time zone"
    case .missingValue: return "missing value" + place
    case .unexpected(let sign): return "unexpected '\(sign)'" + place
    case .unknownName(let name, _): return "unknown name '\(name)'" + place
    case .outOfRange(let value, let range):
      return "\(value) is outside \(range.lowerBound) to \(range.upperBound)" + place
    case .badStep(let step, let max): return "a step of \(step) is outside 1 to \(max)" + place
    case .backwardRange(let first, let last):
      return "the range from \(first) to \(last) is backwards" + place
    case .mustBeAlone(let form): return "'\(form)' must be the whole field" + place
    case .otherField(let sign): return "'\(sign)' has no meaning" + place
    }
  }

  /// Advice; nil if the sentence suffices.
  package var hint: String? {
    switch reason {
    case .fieldCount:
      return
        "write minute, hour, day of month, month, day of week; of six fields, the first is seconds; "
        + "of seven, the last is the year"
    case .unknownMacro(_, let nearest): return nearest.map { "did you mean '\($0)'?" }
    case .unknownName(_, let nearest):
      return nearest.map { "did you mean '\($0)'?" }
        ?? (field == .dayOfWeek
          ? "write SUN to SAT or 0 to 7; a command belongs under 'run', a user under 'user'" : nil)
    case .unexpected("–"), .unexpected("—"): return "write '-' for a range"
    case .reboot: return "use 'on: boot'"
    case .interval(let duration): return "use 'every: \(duration)'"
    case .zonePrefix(let zone): return "use 'timezone: \(zone)'"
    case .aws(let form): return form.utf8.count > 100 ? nil : "write '\(form)'"
    case .badStep(let step, _): return field.flatMap { Self.hint(forStep: step, in: $0) }
    case .otherField("?"): return "'?' belongs to the two day fields; write '*'"
    case .otherField(let sign): return sign == "#" || sign == "L" ? nil : Self.dayHint
    case .empty, .missingValue, .unexpected, .outOfRange, .backwardRange, .mustBeAlone:
      return nil
    }
  }

  /// The same effect as a step from which a field never comes to a second value, and the likely
  /// intention.
  private static func hint(forStep step: String, in field: CronField) -> String? {
    guard let number = Int(step), number > 0 else { return nil }
    let once: (value: Int, time: String, unit: String?)? =
      switch field {
      case .second: (0, "minute", "s")
      case .minute: (0, "hour", "m")
      case .hour: (0, "day", "h")
      case .dayOfMonth: (1, "month", "d")
      case .month: (1, "year", nil)
      case .dayOfWeek: (0, "week", nil)
      case .year: nil
      }
    guard let once else { return nil }
    let article = once.time == "hour" ? "an" : "a"
    let text = "write '\(once.value)' for once \(article) \(once.time)"
    guard let unit = once.unit, number <= 100_000 else { return text }
    return text + ", or 'every: \(number)\(unit)' for every \(number) \(field.unitName)s"
  }

  private static let dayHint = "'W' belongs to the day of month"
}
