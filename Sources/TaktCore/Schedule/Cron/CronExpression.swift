package import TaktTime

/// A cron expression: the local times at which a job is due.
///
/// Two expressions that mean the same times in the same way are equal, however they are written.
package struct CronExpression: Hashable, Sendable {
  /// Bits 0 to 59.
  var seconds: UInt64 = 1
  /// Bits 0 to 59.
  var minutes: UInt64 = 0
  /// Bits 0 to 23.
  var hours: UInt64 = 0
  /// Bits 1 to 12.
  var months: UInt64 = 0
  var days = CronDays()
  /// Nil for every year.
  var years: CronYears?
  /// The fields of second, minute and hour with a `*`, a range or a step; also records an hour that
  /// starts with `*`.
  var openFields: OpenFields = []

  struct OpenFields: OptionSet, Hashable, Sendable {
    var rawValue: UInt8
    static let second = OpenFields(rawValue: 1)
    static let minute = OpenFields(rawValue: 2)
    static let hour = OpenFields(rawValue: 4)
    /// The hour starts with `*`, or names all hours.
    static let everyHour = OpenFields(rawValue: 8)
  }

  /// Reads 5 fields (minute, hour, day of month, month, day of week), 6 (a second before them), 7
  /// (a year after them), or a name such as `@daily`.
  ///
  /// `seed` chooses the values of `H`, and is normally the job's name; default empty. The same seed
  /// always gives the same times.
  package init(_ text: String, seed: String = "") throws(CronProblem) {
    var parser = CronParser(text, seed: seed)
    self = try parser.expression()
  }

  init() {}

  /// True if it recurs within the hour, or from hour to hour: a `*`, a range or a step is in its
  /// seconds, minutes or hours. Such an expression runs in both passes of a repeated hour.
  package var recursWithinHour: Bool { !openFields.isEmpty }

  var isDaily: Bool {
    years == nil && months == Self.allMonths && days.isAnyDayOfMonth && days.isAnyDayOfWeek
  }

  /// Bits 1 to 12.
  static let allMonths: UInt64 = 0x1ffe

  /// True if both day fields leave days out, so that `days: any` and `days: all` differ.
  package var hasBothDayFields: Bool { days.areBothGiven }

  /// Its default for clock changes: an hour field that starts with `*` continues with the clock,
  /// and has no slot for a time that the clock skips.
  package var ownDST: DSTPolicy {
    DSTPolicy(gap: openFields.contains(.everyHour) ? .skip : .runAfter)
  }

  /// True if it names years that are later than any instant.
  package var isBeyondSearch: Bool { years?.first(from: CronSearch.yearMax + 1) != nil }

  /// The last year in which times are found.
  package static let yearMax = CronSearch.yearMax
}

/// The meaning of a cron expression that gives both day fields.
package enum CronDayRule: String, CaseIterable, Hashable, Sendable {
  /// As cron has it: days that fit either field, or both where one of the fields starts with `*`. The
  /// default of `days`.
  case cron
  /// Days that fit either field.
  case any
  /// Days that fit both fields.
  case all

  /// The rule of the same meaning that does not depend on the first characters of the day fields:
  /// `any` or `all`.
  package func settled(for expression: CronExpression) -> CronDayRule {
    guard self == .cron else { return self }
    return expression.days.isStar ? .all : .any
  }
}

extension CronExpression {
  /// The first instant strictly after `instant` at which the expression is due in the zone; nil
  /// when there is none before the year 2262.
  ///
  /// Instants are whole seconds. `rule` combines two given day fields, `dst` decides about local
  /// times that a clock change skips or repeats; nil for the expression's own default.
  package func next(
    after instant: WallInstant, in zone: Zone, days rule: CronDayRule = .cron,
    dst: DSTPolicy? = nil
  ) -> WallInstant? {
    let start = instant.nanoseconds.flooredQuotient(by: 1_000_000_000) + 1
    var walk = LocalWalk(
      search: CronSearch(expression: self, rule: rule), zone: zone, dst: dst ?? ownDST,
      recursWithinHour: recursWithinHour, from: start)
    guard let seconds = walk.next() else { return nil }
    let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : WallInstant(nanoseconds: nanoseconds)
  }
}
