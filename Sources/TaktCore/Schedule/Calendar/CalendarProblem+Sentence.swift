extension CalendarProblem {
  /// One sentence without a full stop, such as `a value is missing in the minute`.
  package var sentence: String {
    let place = unit.map { " in the \($0.word)" } ?? ""
    switch reason {
    case .empty: return "the calendar expression is empty"
    case .missingValue: return "a value is missing" + place
    case .unexpected(let sign): return "'\(sign)' cannot stand here" + place
    case .unfinished: return "the calendar expression ends too early"
    case .unknownWord(let word, _): return "there is no '\(word)'"
    case .backwardDays: return "the range of days runs backwards"
    case .badValues:
      let range = unit.map { " of \(Self.range(of: $0))" } ?? ""
      return "values outside the range\(range), or none at all," + place
    case .zeroStep: return "a repetition of 0 never comes to another value" + place
    case .tooMany: return "the list has more than 241 items" + place
    }
  }

  /// What to do about it; nil when the sentence says enough.
  package var hint: String? {
    switch reason {
    case .unfinished: return "write a date such as '*-*-1', a time such as '09:00', or both"
    case .unknownWord(_, let nearest): return nearest.map { "did you mean '\($0)'?" }
    case .backwardDays: return "write 'Sat,Sun,Mon' for 'Sat..Mon'"
    case .badValues, .empty, .missingValue, .unexpected, .zeroStep, .tooMany: return nil
    }
  }

  private static func range(of unit: CalendarUnit) -> String {
    unit == .second ? "0 to 59.999999" : "\(unit.values.lowerBound) to \(unit.values.upperBound)"
  }
}
