import TaktTime

/// Local times of a search on the days of a filter.
struct FilteredSearch<Base: LocalSearch>: LocalSearch {
  static var ticksPerSecond: Int64 { Base.ticksPerSecond }

  let base: Base
  let filter: DayFilter

  func first(from local: Int64) -> Int64? {
    let dayLength = 86_400 * Self.ticksPerSecond
    var from = local
    while let found = base.first(from: from) {
      let day = found.flooredQuotient(by: dayLength)
      guard let allowed = filter.first(from: day) else { return nil }
      if allowed == day { return found }
      from = allowed * dayLength
    }
    return nil
  }
}

/// A cron or a calendar expression on the days of a filter.
package struct FilteredExpression: Hashable, Sendable {
  package var base: ClockRule.Expression
  package var filter: DayFilter

  package init(_ base: ClockRule.Expression, on filter: DayFilter) {
    self.base = base
    self.filter = filter
  }

  /// The first instant strictly after `instant`; nil when there is none.
  func next(after instant: WallInstant, in zone: Zone, dst: DSTPolicy) -> WallInstant? {
    switch base {
    case .cron(let cron, let days):
      next(
        CronSearch(expression: cron, rule: days), after: instant, in: zone, dst: dst)
    case .calendar(let calendar):
      next(CalendarLocalSearch(expression: calendar), after: instant, in: zone, dst: dst)
    // Only times of the clock are filtered, and once.
    case .recurrence, .filtered, .grid: nil
    }
  }

  private func next<Base: LocalSearch>(
    _ base: Base, after instant: WallInstant, in zone: Zone, dst: DSTPolicy
  ) -> WallInstant? {
    let tick = 1_000_000_000 / Base.ticksPerSecond
    var walk = LocalWalk(
      search: FilteredSearch(base: base, filter: filter), zone: zone, dst: dst,
      recursWithinHour: self.base.recursWithinHour,
      from: instant.nanoseconds.flooredQuotient(by: tick) + 1)
    guard let found = walk.next() else { return nil }
    let (nanoseconds, overflow) = found.multipliedReportingOverflow(by: tick)
    return overflow ? nil : WallInstant(nanoseconds: nanoseconds)
  }
}
