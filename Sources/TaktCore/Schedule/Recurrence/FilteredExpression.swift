import TaktTime

/// Local times of a search on the days of a filter; it moves none.
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

/// Local times of a search up to a last one.
struct EndingSearch<Base: LocalSearch>: LocalSearch {
  static var ticksPerSecond: Int64 { Base.ticksPerSecond }

  let base: Base
  let last: Int64

  func first(from local: Int64) -> Int64? {
    base.first(from: local).flatMap { $0 <= last ? $0 : nil }
  }
}

/// Times of the clock on the days of a filter, or moved by it.
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
      return next(
        CronSearch(expression: cron, rule: days), after: instant, in: zone, dst: dst)
    case .calendar(let calendar):
      return next(CalendarLocalSearch(expression: calendar), after: instant, in: zone, dst: dst)
    case .recurrence(let recurrence):
      let local = recurrence.value.byClock(in: zone)
      guard let last = lastTime(of: local, in: zone) else {
        return next(local, after: instant, in: zone, dst: dst)
      }
      return next(EndingSearch(base: local, last: last), after: instant, in: zone, dst: dst)
    case .grid(let grid): return next(grid.value, after: instant, in: zone, dst: dst)
    // Nothing is filtered twice.
    case .filtered: return nil
    }
  }

  /// A recurrence ends with the time that its rule names, not with that to which one is moved; nil for
  /// one whose rule names none.
  func lastTime(of recurrence: Recurrence, in zone: Zone) -> Int64? {
    guard case .instant(let end)? = recurrence.rule?.end else { return nil }
    return end + Int64(zone.offsetSeconds(atEpochSeconds: end))
  }

  private func next<Base: LocalSearch>(
    _ base: Base, after instant: WallInstant, in zone: Zone, dst: DSTPolicy
  ) -> WallInstant? {
    let filtered = FilteredSearch(base: base, filter: filter)
    guard let move = filter.move?.value else {
      return walk(filtered, after: instant, in: zone, dst: dst)
    }
    return walk(MovedSearch(base: filtered, move: move), after: instant, in: zone, dst: dst)
  }

  private func walk<Search: LocalSearch>(
    _ search: Search, after instant: WallInstant, in zone: Zone, dst: DSTPolicy
  ) -> WallInstant? {
    let tick = 1_000_000_000 / Search.ticksPerSecond
    var walk = LocalWalk(
      search: search, zone: zone, dst: dst, recursWithinHour: base.recursWithinHour,
      from: instant.nanoseconds.flooredQuotient(by: tick) + 1)
    guard let found = walk.next() else { return nil }
    let (nanoseconds, overflow) = found.multipliedReportingOverflow(by: tick)
    return overflow ? nil : WallInstant(nanoseconds: nanoseconds)
  }
}
