/// Why a text is no calendar expression, as facts; `sentence` and `hint` say it in words.
package struct CalendarProblem: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Reason: Hashable, Sendable {
    /// There is nothing in it.
    case empty
    /// A number, or a `*`, is missing.
    case missingValue
    /// A sign that cannot stand there.
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

  /// What is wrong.
  package var reason: Reason
  /// The unit in which it is; nil when it is in none.
  package var unit: CalendarUnit?
  /// Where it is: UTF-8 bytes from the beginning of the text, from 0.
  package var offset: Int

  init(_ reason: Reason, in unit: CalendarUnit? = nil, at offset: Int) {
    self.reason = reason
    self.unit = unit
    self.offset = offset
  }
}
