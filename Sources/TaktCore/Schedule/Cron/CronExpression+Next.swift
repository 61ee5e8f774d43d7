package import TaktTime

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
