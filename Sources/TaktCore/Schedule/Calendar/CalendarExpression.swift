/// A calendar expression in systemd's `OnCalendar` grammar: the local times at which a job is due.
///
/// Two expressions with the same normalized form are equal.
package struct CalendarExpression: Hashable, Sendable {
  /// Bit 0 is Monday; 0 for any day.
  var weekdays: UInt8 = 0
  var years: [CalendarTerm] = []
  var months: [CalendarTerm] = []
  var days: [CalendarTerm] = []
  var hours: [CalendarTerm] = []
  var minutes: [CalendarTerm] = []
  /// In microseconds.
  var seconds: [CalendarTerm] = []
  /// Whether the days are counted back from the month's last, which is 1.
  var isFromMonthEnd = false

  /// The time zone written at its end, such as `UTC` or `Europe/Berlin`; nil when there is none.
  ///
  /// Whether there is such a zone is for the caller to find out; without one the expression is
  /// wrong.
  package internal(set) var zoneName: String?

  /// Reads an expression such as `Mon..Fri *-*-1..7 18:00:00 Europe/Berlin`, a shorthand such as
  /// `weekly`, or `@` with seconds since the epoch.
  package init(_ text: String) throws(CalendarProblem) {
    var parser = CalendarParser(text)
    self = try parser.expression()
  }

  init() {}

  /// The values of a unit; none for all of them.
  subscript(unit: CalendarUnit) -> [CalendarTerm] {
    get {
      switch unit {
      case .year: years
      case .month: months
      case .day: days
      case .hour: hours
      case .minute: minutes
      case .second: seconds
      }
    }
    set {
      switch unit {
      case .year: years = newValue
      case .month: months = newValue
      case .day: days = newValue
      case .hour: hours = newValue
      case .minute: minutes = newValue
      case .second: seconds = newValue
      }
    }
  }
}
