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
  /// Which of second, minute and hour have a `*`, a range or a step.
  var openFields: OpenFields = []

  struct OpenFields: OptionSet, Hashable, Sendable {
    var rawValue: UInt8
    static let second = OpenFields(rawValue: 1)
    static let minute = OpenFields(rawValue: 2)
    static let hour = OpenFields(rawValue: 4)
  }

  /// Reads 5 fields (minute, hour, day of month, month, day of week), 6 (a second before them), 7
  /// (a year after them), or a name such as `@daily`.
  ///
  /// `seed` is what `H` is chosen by, normally the job's name; default empty. The same seed gives
  /// the same times for ever.
  package init(_ text: String, seed: String = "") throws(CronProblem) {
    var parser = CronParser(text, seed: seed)
    self = try parser.expression()
  }

  init() {}

  /// Whether it goes on within the hour, or from hour to hour: a `*`, a range or a step stands in
  /// its seconds, minutes or hours. Such an expression runs in both passes of a repeated hour.
  package var recursWithinHour: Bool { !openFields.isEmpty }

  /// Whether it is due on every day that there is.
  var isDaily: Bool {
    years == nil && months == Self.allMonths && days.isAnyDayOfMonth && days.isAnyDayOfWeek
  }

  /// Bits 1 to 12.
  private static let allMonths: UInt64 = 0x1ffe

  /// Whether both day fields leave days out, so that `days: any` and `days: all` differ.
  package var hasBothDayFields: Bool { days.areBothGiven }
}

/// Which days a cron expression means when it gives both day fields.
package enum CronDayRule: String, CaseIterable, Hashable, Sendable {
  /// Days that fit either field, as classic cron has it; the default of `days`.
  case any
  /// Days that fit both fields.
  case all
}

extension CronExpression {
  /// The first instant strictly after `instant` at which the expression is due in the zone; nil
  /// when there is none before the year 2262.
  ///
  /// Instants are whole seconds. `rule` says what two given day fields mean together, `dst` what
  /// becomes of local times that a clock change skips or repeats.
  package func next(
    after instant: WallInstant, in zone: Zone, days rule: CronDayRule = .any,
    dst: DSTPolicy = .cron
  ) -> WallInstant? {
    let start = instant.nanoseconds.flooredQuotient(by: 1_000_000_000) + 1
    var walk = LocalWalk(
      search: CronSearch(expression: self, rule: rule), zone: zone, dst: dst,
      recursWithinHour: recursWithinHour, from: start)
    guard let seconds = walk.next() else { return nil }
    let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? nil : WallInstant(nanoseconds: nanoseconds)
  }
}
