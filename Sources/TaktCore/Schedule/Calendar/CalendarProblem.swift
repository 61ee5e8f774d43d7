/// The reason why a text is no calendar expression, as facts; `sentence` and `hint` put it in
/// words.
package struct CalendarProblem: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    case empty
    /// A number, or a `*`, is missing.
    case missingValue
    case unexpected(String)
    /// The text ends where a date or a time would go on.
    case unfinished
    /// No such day of the week or shorthand; the nearest that exists.
    case unknownWord(String, nearest: String?)
    /// A range of days of the week that runs backwards.
    case backwardDays
    /// A value outside the unit's range, a range that runs backwards, or a repetition that never
    /// comes.
    case badValues
    /// A repetition of nothing: `/0`.
    case zeroStep
    /// More than 241 items in one list.
    case tooMany
  }

  package var reason: Reason
  /// The unit in which it is; nil when it is in none.
  package var unit: CalendarUnit?
  /// UTF-8 bytes from the start of the text, from 0.
  package var offset: Int

  init(_ reason: Reason, in unit: CalendarUnit? = nil, at offset: Int) {
    self.reason = reason
    self.unit = unit
    self.offset = offset
  }
}

extension CalendarProblem {
  /// One sentence without a full stop, such as `a value is missing in the minute`.
  package var sentence: String {
    let place = unit.map { " in the \($0.word)" } ?? ""
    switch reason {
    case .empty: return "the calendar expression is empty"
    case .missingValue: return "missing value" + place
    case .unexpected(let sign): return "unexpected '\(sign)'" + place
    case .unfinished: return "the calendar expression ends too early"
    case .unknownWord(let word, _): return "unknown word '\(word)'"
    case .backwardDays: return "the range of days is backwards"
    case .badValues:
      let range = unit.map { " (\(Self.range(of: $0)))" } ?? ""
      return "a value is missing or out of range\(range)" + place
    case .zeroStep: return "a step cannot be 0" + place
    case .tooMany: return "the list has more than 241 items" + place
    }
  }

  /// Advice; nil if the sentence suffices.
  package var hint: String? {
    switch reason {
    case .unfinished: return "write a date such as '*-*-1', a time such as '09:00', or both"
    case .unknownWord(_, let nearest):
      return nearest.map { "did you mean '\($0)'?" }
        ?? "write days such as 'Mon..Fri', times such as '09:00', or 'daily'"
    case .backwardDays: return "write 'Sat,Sun,Mon' for 'Sat..Mon'"
    case .unexpected("–"), .unexpected("—"): return "write '..' for a range, as in 'Mon..Fri'"
    case .badValues, .empty, .missingValue, .unexpected, .zeroStep, .tooMany: return nil
    }
  }

  private static func range(of unit: CalendarUnit) -> String {
    unit == .second ? "0 to 59.999999" : "\(unit.values.lowerBound) to \(unit.values.upperBound)"
  }
}
