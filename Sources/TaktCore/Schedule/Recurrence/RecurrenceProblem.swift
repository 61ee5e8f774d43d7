/// The reason why a text is no recurrence, as facts; `sentence` and `hint` put it in words.
package struct RecurrenceProblem: Error, Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    case empty
    /// A word that does not start with the name of a property.
    case noProperty(String)
    /// No such property, or part of a rule; the nearest that exists.
    case unknown(String, nearest: String?)
    /// A property or a part that is given twice.
    case twice(String)
    case missingStart
    case missingRule
    case missingFrequency
    case unknownFrequency(String, nearest: String?)
    /// A value that the part, or the property, does not take.
    case badValue(String, of: String)
    case badDate(String, of: String)
    /// A property with nothing behind its colon.
    case emptyValue(String)
    /// A part that has no meaning beside another.
    case cannotCombine(String, with: String)
    /// A date where DTSTART has a time, or the other way round.
    case otherForm(String)
    case unknownZone(String)
    /// BYSETPOS without a part that makes a set.
    case positionsAlone
    case tooMany(String, max: Int)
  }

  package var reason: Reason
  /// UTF-8 bytes from the start of the text, from 0.
  package var offset: Int

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension RecurrenceProblem {
  /// One sentence without a full stop, such as `FREQ is missing`.
  package var sentence: String {
    switch reason {
    case .empty: "the recurrence is empty"
    case .noProperty(let text): "'\(text)' is not a recurrence"
    case .unknown(let name, _): "unknown word '\(name)'"
    case .twice(let name): "\(name) is given twice"
    case .missingStart: "DTSTART is missing"
    case .missingRule: "RRULE is missing"
    case .missingFrequency: "FREQ is missing"
    case .unknownFrequency(let name, _): "unknown frequency '\(name)'"
    case .badValue(let value, let part): "\(part) does not take '\(value)'"
    case .badDate(let value, let part):
      "'\(value)' in \(part) is no date \(RecurrenceTime.yearWords)"
    case .emptyValue(let name): "\(name) is empty"
    case .cannotCombine(let part, let other): "\(part) cannot be combined with \(other)"
    case .otherForm(let part): "\(part) and DTSTART have different forms"
    case .unknownZone(let name): "there is no time zone '\(name)'"
    case .positionsAlone: "BYSETPOS needs another BY part"
    case .tooMany(let part, let max): "\(part) has more than \(max)"
    }
  }

  /// Advice; nil if the sentence suffices.
  package var hint: String? {
    switch reason {
    case .unknown(_, let nearest?), .unknownFrequency(_, let nearest?):
      "did you mean '\(nearest)'?"
    case .missingStart:
      "write when it begins in front of the rule, such as DTSTART:20260105T090000"
    case .missingRule, .empty, .noProperty:
      "write 'DTSTART:20260105T090000 RRULE:FREQ=WEEKLY;INTERVAL=2', or another rule of RFC 5545"
    case .missingFrequency: "write FREQ=DAILY, WEEKLY, MONTHLY or another"
    case .badDate: "write 20261224T180000, or with a Z at its end for UTC"
    case .emptyValue: "write its value right after the colon, without a blank"
    case .otherForm: "write both as a date, or both with a time of day, and in the same zone"
    case .positionsAlone: "BYSETPOS=1 is the first of the set that BYDAY or another part makes"
    case .tooMany("COUNT", _): "use UNTIL"
    case .twice("RRULE"): "write a list of rules"
    case .unknown, .unknownFrequency, .unknownZone, .twice, .badValue, .cannotCombine, .tooMany:
      nil
    }
  }
}
