import TaktTime

/// Days of shared calendars and of expressions that name whole days, in the zone of the job.
package struct DaySet: Hashable, Sendable {
  package var calendars: [SharedCalendar]
  package var expressions: [SharedCalendar.Expression]

  package init(_ calendars: [SharedCalendar], expressions: [SharedCalendar.Expression] = []) {
    self.calendars = calendars
    self.expressions = expressions
  }

  /// The first day that is not before `day` and not in the set; nil when there is none up to `last`.
  func firstOutside(from day: Int64, through last: Int64) -> Int64? {
    var day = day
    while day <= last {
      guard let range = range(with: day) else { return day }
      day = range.upperBound
    }
    return nil
  }

  func contains(_ day: Int64) -> Bool { range(with: day) != nil }

  /// The first day of the set that is not before `day`; nil when there is none.
  func first(from day: Int64) -> Int64? {
    var first: Int64?
    for calendar in calendars {
      if let found = calendar.firstDay(from: day) { first = min(first ?? found, found) }
    }
    for expression in expressions {
      if let found = expression.firstDay(from: day) { first = min(first ?? found, found) }
    }
    return first.flatMap { $0 <= Self.last ? $0 : nil }
  }

  /// Days of the set around a day, itself included; nil if it is not in the set.
  private func range(with day: Int64) -> Range<Int64>? {
    for calendar in calendars {
      if let range = calendar.days(with: day) { return range }
    }
    return expressions.lazy.compactMap { $0.days(with: day) }.first
  }

  /// Expressions name no days after this year, so that the days they leave out are unknown from
  /// then on.
  static let lastYear = CalendarExpression.yearMax
  /// The last day on which schedules are searched that sets of days filter.
  static let last = CivilTime.daysSinceEpoch(year: lastYear, month: 12, day: 31)
}

extension DaySet {
  /// The days of a month that are in the set, as bits 1 to 31.
  func days(of month: LocalMonth) -> UInt32 {
    var days: UInt32 = 0
    let end = month.start + Int64(month.length)
    var next = first(from: month.start)
    while let day = next, day < end {
      let rangeEnd = min(end, range(with: day)?.upperBound ?? day + 1)
      for day in day..<rangeEnd { days |= 2 << UInt32(day - month.start) }
      next = first(from: rangeEnd)
    }
    return days
  }

  var names: String { calendars.map(\.name).joined(separator: ", ") }
}

/// Days on which a schedule has no slots, and the target of their slots.
package struct DayMove: Hashable, Sendable {
  package enum Direction: String, Hashable, Sendable {
    case next, previous
  }

  package var direction: Direction
  package var except: DaySet
  /// Nil for any day.
  package var only: DaySet?

  package init(_ direction: Direction, except: DaySet, only: DaySet? = nil) {
    self.direction = direction
    self.except = except
    self.only = only
  }

  /// The first day that is not before `day` and has slots; nil when there is none up to `last`.
  func firstOpen(from day: Int64, through last: Int64 = DaySet.last) -> Int64? {
    var day = day
    while let open = except.firstOutside(from: day, through: last) {
      guard let only else { return open }
      guard let wanted = only.first(from: open), wanted <= last else { return nil }
      if wanted == open { return open }
      day = wanted
    }
    return nil
  }

  func isOpen(_ day: Int64) -> Bool {
    !except.contains(day) && only.map { $0.contains(day) } ?? true
  }

  /// The last day that is before `day` and has slots; nil when there is none from 1970 on.
  func lastOpen(before day: Int64) -> Int64? {
    // Back in growing steps until there is one, then forward: a day at a time, each calendar would be
    // asked for each day.
    var reach: Int64 = 1
    while day > 0 {
      let from = max(0, day - reach)
      var next = firstOpen(from: from, through: day - 1)
      var last = next
      while let open = next {
        last = open
        next = firstOpen(from: open + 1, through: day - 1)
      }
      if last != nil || from == 0 { return last }
      reach *= 4
    }
    return nil
  }

  /// The days whose slots a day has that is open: itself, and those on which there are none.
  func sources(of day: Int64) -> ClosedRange<Int64> {
    switch direction {
    case .next: ((lastOpen(before: day) ?? -1) + 1)...day
    case .previous: day...max(day, (firstOpen(from: day + 1) ?? DaySet.last + 1) - 1)
    }
  }

  /// The day to which a slot of a day moves; nil if there is none.
  func target(of day: Int64) -> Int64? {
    if isOpen(day) { return day }
    return direction == .next ? firstOpen(from: day) : lastOpen(before: day)
  }
}

/// Local times of a search, each on the day to which a rule moves it.
struct MovedSearch<Base: LocalSearch>: LocalSearch {
  static var ticksPerSecond: Int64 { Base.ticksPerSecond }
  private static var dayLength: Int64 { 86_400 * ticksPerSecond }

  let base: Base
  let move: DayMove

  func first(from local: Int64) -> Int64? {
    let local = max(0, local)
    var day = local / Self.dayLength
    var time = local - day * Self.dayLength
    while let open = move.firstOpen(from: day) {
      if open > day { time = 0 }
      day = open
      let sources = move.sources(of: day)
      if let found = firstTime(from: time, on: sources) { return day * Self.dayLength + found }
      // The next day that may have one is that of the next time of all.
      let after = max(day, sources.lowerBound) + 1
      let from = move.direction == .next ? after : sources.upperBound + 1
      guard let next = base.first(from: from * Self.dayLength) else { return nil }
      let target = move.target(of: next.flooredQuotient(by: Self.dayLength))
      // Before the first open day there is nowhere to go back to.
      day = max(day + 1, target ?? day + 1)
      time = 0
    }
    return nil
  }

  /// The earliest time of day, from `time` on, that any of some days has.
  private func firstTime(from time: Int64, on days: ClosedRange<Int64>) -> Int64? {
    var earliest: Int64?
    var from = days.lowerBound * Self.dayLength + time
    while let found = base.first(from: from) {
      let day = found.flooredQuotient(by: Self.dayLength)
      guard day <= days.upperBound else { break }
      let foundTime = found - day * Self.dayLength
      if foundTime < time {
        from = day * Self.dayLength + time
        continue
      }
      earliest = min(earliest ?? foundTime, foundTime)
      if earliest == time { break }
      from = (day + 1) * Self.dayLength + time
    }
    return earliest
  }
}
