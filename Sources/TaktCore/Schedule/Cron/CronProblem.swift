/// Why a text is no cron expression, as facts; `sentence` and `hint` say it in words.
package struct CronProblem: Error, Hashable, Sendable {
  /// What is wrong.
  package enum Reason: Hashable, Sendable {
    /// There is nothing but blanks.
    case empty
    /// There are neither 5, 6 nor 7 fields.
    case fieldCount(Int)
    /// There is no such `@name`; the nearest that exists.
    case unknownMacro(String, nearest: String?)
    /// `@reboot` is no time.
    case reboot
    /// `@every 5m` is an interval; its duration.
    case interval(String)
    /// `TZ=…` or `CRON_TZ=…` stands before the fields; the zone.
    case zonePrefix(String)
    /// A value is missing, such as after a comma or a `/`.
    case missingValue
    /// A sign that cannot stand there.
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
    case mustStandAlone(String)
    /// A sign such as `L`, `W` or `#` that other fields have.
    case otherField(String)
  }

  /// What is wrong.
  package var reason: Reason
  /// The field in which it is; nil when it is in none.
  package var field: CronField?
  /// Where it is: UTF-8 bytes from the beginning of the text, from 0.
  package var offset: Int

  init(_ reason: Reason, in field: CronField? = nil, at offset: Int) {
    self.reason = reason
    self.field = field
    self.offset = offset
  }
}
