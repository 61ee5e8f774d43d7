package import TaktTime

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
  /// True if the days are counted back from the month's last, which is 1.
  var isFromMonthEnd = false

  /// The time zone written at its end, such as `UTC` or `Europe/Berlin`; nil if there is none.
  ///
  /// The caller must check that the zone exists; if not, the expression is wrong.
  package internal(set) var zoneName: String?

  /// Reads an expression such as `Mon..Fri *-*-1..7 18:00:00 Europe/Berlin`, a shorthand such as
  /// `weekly`, or `@` with seconds since the epoch.
  package init(_ text: String) throws(CalendarProblem) {
    var parser = CalendarParser(text)
    self = try parser.expression()
  }

  init() {}

  /// The zones that must exist for a text that has been read as this expression; the last is the one to
  /// use. Behind `@0` a zone changes nothing, and must exist all the same.
  package func zoneNames(writtenIn text: String) -> [String] {
    var parser = CalendarParser(text)
    let written = parser.zoneName()
    return [written == zoneName ? nil : written, zoneName].compactMap(\.self)
  }

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

extension CalendarExpression {
  /// The first instant strictly after `instant` at which the expression is due in the zone; nil
  /// when there is none before the year 2200.
  ///
  /// Instants are whole microseconds. The zone is the one to use; the caller looks up a name in the
  /// expression. The instants are those of `systemd-analyze calendar`, with its own ways:
  ///
  /// - A skipped local time is left out; in zones that count the other way (Dublin in spring), now
  ///   and then the rest of that day with it.
  /// - Of a repeated hour only the pass in which the search starts is used.
  /// - A repetition that does not divide its unit may lose its first value after a midnight: after
  ///   23:57, `*:3/27` gives 00:30, though after 00:00 it gives 00:03.
  package func next(after instant: WallInstant, in zone: Zone) -> WallInstant? {
    let from = instant.nanoseconds.flooredQuotient(by: 1000) + 1
    var search = CalendarSearch(self, zone: zone, from: from)
    guard let found = search.next() else { return nil }
    let (nanoseconds, overflow) = found.multipliedReportingOverflow(by: 1000)
    return overflow ? nil : WallInstant(nanoseconds: nanoseconds)
  }

  /// The first instant strictly after `instant` under a policy for clock changes; nil when there is
  /// none before the year 2200.
  ///
  /// Without systemd's own ways: the result does not depend on the start of the search.
  package func next(after instant: WallInstant, in zone: Zone, dst: DSTPolicy) -> WallInstant? {
    var walk = LocalWalk(
      search: CalendarLocalSearch(expression: self), zone: zone, dst: dst,
      recursWithinHour: recursWithinHour, from: instant.nanoseconds.flooredQuotient(by: 1000) + 1)
    guard let found = walk.next() else { return nil }
    let (nanoseconds, overflow) = found.multipliedReportingOverflow(by: 1000)
    return overflow ? nil : WallInstant(nanoseconds: nanoseconds)
  }

  /// The last year in which times are found.
  package static var yearMax: Int { CalendarUnit.year.values.upperBound }

  /// True if it recurs within the hour, or from hour to hour: a `*`, a range or a repetition is in
  /// its hours, minutes or seconds.
  package var recursWithinHour: Bool {
    Self.recurs(hours) || Self.recurs(minutes) || Self.recurs(seconds)
  }

  private static func recurs(_ terms: [CalendarTerm]) -> Bool {
    terms.isEmpty || terms.contains { $0.step > 0 }
  }
}
