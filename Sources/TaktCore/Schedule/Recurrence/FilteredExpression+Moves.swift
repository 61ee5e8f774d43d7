import TaktTime

/// The slots that calendars move, for people. Local times are moved, and a clock change comes after
/// that: everything is found by local times.
extension FilteredExpression {
  /// The most days searched for a note.
  private static let searchMax = 10_000
  /// The most days listed.
  static let movedMax = 100

  /// The days from which the slot at an instant has been moved, each as a number of days since the
  /// epoch.
  func daysMoved(to instant: WallInstant, in zone: Zone, dst: DSTPolicy) -> [Int64] {
    guard let move = filter.move?.value, let base = search(in: zone) else { return [] }
    return daysMoved(to: instant, in: zone, dst: dst, by: move, base)
  }

  /// The target of the slot that the expression names at an instant; nil if it stays, or if there
  /// is none.
  func moved(_ instant: WallInstant, in zone: Zone, dst: DSTPolicy) -> WallInstant? {
    guard let move = filter.move?.value, let base = search(in: zone) else { return nil }
    return moved(instant, in: zone, dst: dst, by: move, base)
  }

  private func search(in zone: Zone) -> (any LocalSearch)? {
    switch base {
    case .cron(let cron, let days): return CronSearch(expression: cron, rule: days)
    case .calendar(let calendar): return CalendarLocalSearch(expression: calendar)
    case .recurrence(let recurrence):
      let local = recurrence.value.byClock(in: zone)
      guard let last = lastTime(of: local, in: zone) else { return local }
      return EndingSearch(base: local, last: last)
    case .grid(let grid): return grid.value
    case .filtered: return nil
    }
  }

  private func daysMoved<Base: LocalSearch>(
    to instant: WallInstant, in zone: Zone, dst: DSTPolicy, by move: DayMove, _ base: Base
  ) -> [Int64] {
    let search = FilteredSearch(base: base, filter: filter)
    let dayLength = 86_400 * Base.ticksPerSecond
    let times = Self.localTimes(
      at: instant, in: zone, dst: dst, ticksPerSecond: Base.ticksPerSecond)
    let lastDay = times.upperBound.flooredQuotient(by: dayLength)
    var found: [Int64] = []
    for day in times.lowerBound.flooredQuotient(by: dayLength)...lastDay where move.isOpen(day) {
      let start = max(0, times.lowerBound - day * dayLength)
      let end = min(dayLength - 1, times.upperBound - day * dayLength)
      let sources = move.sources(of: day)
      var from = sources.lowerBound * dayLength + start
      for _ in 0..<Self.searchMax where found.count < Self.movedMax {
        guard let local = search.first(from: from) else { break }
        let source = local.flooredQuotient(by: dayLength)
        if source > sources.upperBound { break }
        let time = local - source * dayLength
        if time < start {
          from = source * dayLength + start
          continue
        }
        if time <= end, source != day { found.append(source) }
        from = (source + 1) * dayLength + start
      }
    }
    return found
  }

  private func moved<Base: LocalSearch>(
    _ instant: WallInstant, in zone: Zone, dst: DSTPolicy, by move: DayMove, _ base: Base
  ) -> WallInstant? {
    let dayLength = 86_400 * Base.ticksPerSecond
    let times = Self.localTimes(
      at: instant, in: zone, dst: dst, ticksPerSecond: Base.ticksPerSecond)
    let search = FilteredSearch(base: base, filter: filter)
    guard let local = search.first(from: times.lowerBound), local <= times.upperBound else {
      return nil
    }
    let day = local.flooredQuotient(by: dayLength)
    guard !move.isOpen(day), let target = move.target(of: day) else { return nil }
    let ticks = (target - day) * dayLength + local
    let seconds = ticks.flooredQuotient(by: Base.ticksPerSecond)
    let rest = Duration.nanoseconds(
      (ticks - seconds * Base.ticksPerSecond) * (1_000_000_000 / Base.ticksPerSecond))
    switch zone.read(CivilTime(epochSeconds: seconds)) {
    case .once(let instant): return instant + rest
    case .skipped(let next): return dst.gap == .skip ? nil : next
    case .twice(let first, let second):
      return (dst.overlap == .second && !self.base.recursWithinHour ? second : first) + rest
    }
  }

  /// The local times whose slot is at an instant: all of its millisecond, and those of a gap that ends
  /// with it.
  private static func localTimes(
    at instant: WallInstant, in zone: Zone, dst: DSTPolicy, ticksPerSecond: Int64
  ) -> ClosedRange<Int64> {
    let seconds = instant.milliseconds.flooredQuotient(by: 1000)
    let span = zone.span(atEpochSeconds: seconds)
    let local = instant.milliseconds + Int64(span.offsetSeconds) * 1000
    let isCoarse = ticksPerSecond < 1000
    let first =
      isCoarse
      ? local.flooredQuotient(by: 1000 / ticksPerSecond) : local * (ticksPerSecond / 1000)
    let last = isCoarse ? first : first + ticksPerSecond / 1000 - 1
    guard dst.gap == .runAfter, span.start != .min, instant.milliseconds == span.start * 1000
    else { return first...last }
    let before = zone.span(atEpochSeconds: seconds - 1)
    return min(first, (seconds + Int64(before.offsetSeconds)) * ticksPerSecond)...last
  }
}
