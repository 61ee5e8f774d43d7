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

  /// Whether both day fields leave days out, so that `days: any` and `days: all` differ.
  package var hasBothDayFields: Bool { days.areBothGiven }
}
