package import TaktTime

/// Recurring times of the wall clock: a cron expression, a calendar expression or a recurrence, or
/// a grid, read in a zone.
///
/// Two rules that mean the same are equal, however they are written.
package struct ClockRule: Hashable, Sendable {
  package enum Expression: Hashable, Sendable {
    /// A cron expression, and the combination of two given day fields.
    case cron(CronExpression, days: CronDayRule)
    case calendar(CalendarExpression)
    /// A recurrence rule. Boxed, since few jobs have one.
    case recurrence(Shared<Recurrence>)
    /// A cron or a calendar expression on some days only.
    case filtered(Shared<FilteredExpression>)
    case grid(Shared<LocalGrid>)
  }

  package var expression: Expression
  package var zone: Zone
  package var dst: DSTPolicy

  package init(_ expression: Expression, zone: Zone, dst: DSTPolicy) {
    self.expression = expression.settled
    self.zone = zone
    self.dst = dst
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(expression) }

  /// The expression in its normal form, which reads back as the same; without the filters of its
  /// days.
  package var text: String { expression.text }

  var cause: SlotCause { expression.cause }

  /// The first instant after `instant`; nil when there are no more.
  package func next(after instant: WallInstant) -> WallInstant? {
    switch expression {
    case .cron(let cron, let days): cron.next(after: instant, in: zone, days: days, dst: dst)
    case .calendar(let calendar): calendar.next(after: instant, in: zone, dst: dst)
    case .recurrence(let recurrence): recurrence.value.next(after: instant, in: zone, dst: dst)
    case .filtered(let filtered): filtered.value.next(after: instant, in: zone, dst: dst)
    case .grid(let grid): grid.value.next(after: instant, in: zone, dst: dst)
    }
  }
}

extension ClockRule.Expression {
  /// The same for all rules of days that mean the same days.
  fileprivate var settled: Self {
    guard case .cron(let cron, .cron) = self else { return self }
    return .cron(cron, days: CronDayRule.cron.settled(for: cron))
  }

  /// Hashes the fields in which most rules differ.
  package func hash(into hasher: inout Hasher) {
    switch self {
    case .cron(let cron, _):
      hasher.combine(cron.minutes)
      hasher.combine(cron.hours)
      hasher.combine(cron.days.daysOfMonth)
      hasher.combine(cron.days.weekdays)
    case .calendar(let calendar):
      hasher.combine(calendar.weekdays)
      hasher.combine(calendar.days)
      hasher.combine(calendar.hours)
      hasher.combine(calendar.minutes)
      hasher.combine(calendar.seconds)
    case .recurrence(let recurrence):
      hasher.combine(recurrence.value.start)
      hasher.combine(recurrence.value.rule?.text)
    case .filtered(let filtered):
      hasher.combine(filtered.value.base)
      hasher.combine(filtered.value.filter)
    case .grid(let grid): hasher.combine(grid.value)
    }
  }

  fileprivate var text: String {
    switch self {
    case .cron(let cron, _): cron.normalized
    case .calendar(let calendar): calendar.normalized
    case .recurrence(let recurrence): recurrence.value.normalized
    case .filtered(let filtered): filtered.value.base.text
    case .grid(let grid): grid.value.summary
    }
  }

  fileprivate var cause: SlotCause {
    switch self {
    case .cron: .cron
    case .calendar: .calendar
    case .recurrence: .rrule
    case .filtered(let filtered): filtered.value.base.cause
    case .grid: .every
    }
  }

  /// True if it recurs within the hour, or from hour to hour.
  package var recursWithinHour: Bool {
    switch self {
    case .cron(let cron, _): cron.recursWithinHour
    case .calendar(let calendar): calendar.recursWithinHour
    case .recurrence(let recurrence): recurrence.value.recursWithinHour
    case .filtered(let filtered): filtered.value.base.recursWithinHour
    case .grid(let grid): grid.value.recursWithinHour
    }
  }

  /// The filter of its days; nil for none.
  package var filter: DayFilter? {
    if case .filtered(let filtered) = self { filtered.value.filter } else { nil }
  }

  /// Without the filters of its days.
  package var unfiltered: Self {
    if case .filtered(let filtered) = self { filtered.value.base } else { self }
  }

  /// It on the days of a filter; nothing changes for one that is empty.
  package func filtered(on filter: DayFilter) -> Self {
    guard !filter.isEmpty else { return self }
    return .filtered(Shared(FilteredExpression(settled, on: filter)))
  }
}

extension ClockRule {
  /// The first slot after a mark. A calendar expression may name a finer instant; its slot is the
  /// millisecond that it is in.
  func next(after mark: ScheduleInstant) -> ScheduleInstant? {
    next(after: WallInstant(max(mark, 0) + 1).justBefore).map { ScheduleInstant($0) }
  }

  func has(_ instant: ScheduleInstant) -> Bool { next(after: instant - 1) == instant }

  /// The last slot after `mark` up to and with `end`; nil when there is none.
  func last(after mark: ScheduleInstant, through end: ScheduleInstant) -> ScheduleInstant? {
    // Back in growing steps until there is one, then forward to the last.
    var reach: Int64 = 60_000
    while true {
      let from = end - mark <= reach ? mark : end - reach
      if var found = next(after: from), found <= end {
        while let later = next(after: found), later <= end { found = later }
        return found
      }
      guard from > mark else { return nil }
      reach = reach > .max / 4 ? .max : reach * 4
    }
  }

  /// The number of slots after `mark` through `end`.
  func count(after mark: ScheduleInstant, through end: ScheduleInstant) -> Int {
    if case .cron(let cron, let days) = expression {
      return CronCount(expression: cron, rule: days, clock: self).count(
        after: mark.milliseconds, through: end.milliseconds)
    }
    return countOneByOne(after: mark, through: end)
  }

  func countOneByOne(after mark: ScheduleInstant, through end: ScheduleInstant) -> Int {
    var count = 0
    var instant = next(after: mark)
    while let found = instant, found <= end {
      count += 1
      instant = next(after: found)
    }
    return count
  }
}
