package import TaktTime

/// Times that a jobs file names once under `calendars`, for many jobs: days, times, recurring
/// events, and expressions.
///
/// Days, and times without a zone, are read in the zone of the job that uses them. Copies share
/// their contents.
package struct SharedCalendar: Hashable, Sendable {
  package struct Expression: Hashable, Sendable {
    package var expression: CalendarExpression
    /// True if it names whole days: it was written without a time of day.
    package var isWholeDays: Bool
    /// Nil for the zone of the job.
    package var zone: Zone?

    package init(_ expression: CalendarExpression, isWholeDays: Bool, zone: Zone?) {
      self.expression = expression
      self.isWholeDays = isWholeDays
      self.zone = zone
    }

    func exclusion(in jobZone: Zone) -> Exclusion {
      Exclusion(expression, isWholeDays: isWholeDays, zone: zone ?? jobZone)
    }
  }

  package struct Content: Hashable, Sendable {
    /// Days since the epoch.
    package var days = NumberRanges()
    /// Seconds of a local clock, as if its zone were UTC: only earlier versions stored them.
    package var localTimes = NumberRanges()
    /// Seconds since the epoch.
    package var times = NumberRanges()
    /// Times without a zone that do not recur; `read(in:)` makes `times` of them.
    package var floating: [FloatingTime] = []
    /// No day and no time is further from the epoch: more than 2,000 years.
    package static let daysMax: Int64 = 1 << 20
    package static let secondsMax: Int64 = 1 << 36
    package var events: [CalendarEvent] = []
    package var expressions: [Expression] = []

    package init() {}
  }

  package let name: String
  private let shared: Shared<Content>

  package init(_ name: String, _ content: Content) {
    self.name = name
    shared = Shared(content)
  }

  package var content: Content { _read { yield shared.value } }

  /// Hashes only small fields: many jobs are looked up by their shared parts.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(content.days.count)
  }

  /// True if it names no time at all.
  package var isEmpty: Bool {
    content.days.isEmpty && content.localTimes.isEmpty && content.times.isEmpty
      && content.floating.isEmpty && content.events.isEmpty && content.expressions.isEmpty
  }

  /// It with its times that have no zone read in that of a job.
  package func read(in zone: Zone) -> SharedCalendar {
    content.floating.isEmpty ? self : SharedCalendar(name, content.read(in: zone))
  }

  /// True if it names whole days.
  package var hasDays: Bool {
    !content.days.isEmpty || content.events.contains(where: \.isWholeDays)
      || content.expressions.contains(where: \.isWholeDays)
  }

  /// True if a whole day that it names is of another zone than that of the job.
  package func namesDays(elsewhereThan zone: Zone) -> Bool {
    content.expressions.contains { $0.isWholeDays && $0.zone.map { $0 != zone } ?? false }
  }
}

/// A time of a calendar file that has no zone, and does not recur.
package struct FloatingTime: Hashable, Sendable {
  /// Its start, in seconds of a local clock.
  let local: Int64
  let length: EventLength
}

extension SharedCalendar.Content {
  /// It with its times that have no zone read in one.
  package func read(in zone: Zone) -> Self {
    if floating.isEmpty { return self }
    var content = self
    content.times = NumberRanges(
      times.ranges + floating.map { $0.length.instants(from: $0.local, in: zone) })
    content.floating = []
    return content
  }
}

extension SharedCalendar {
  func contains(_ instant: ScheduleInstant, in zone: Zone) -> Bool {
    let seconds = instant.milliseconds.flooredQuotient(by: 1000)
    let local = seconds + Int64(zone.offsetSeconds(at: WallInstant(instant)))
    let day = local.flooredQuotient(by: 86_400)
    return content.days.contains(day) || content.localTimes.contains(local)
      || content.times.contains(seconds)
      || content.events.contains { event in
        event.isWholeDays ? event.days(with: day) != nil : event.contains(instant, in: zone)
      }
      || content.expressions.contains { $0.exclusion(in: zone).contains(instant) }
  }

  /// The first instant after this one at which `contains` may answer otherwise; nil when there is
  /// none.
  func nextEdge(after instant: ScheduleInstant, in zone: Zone) -> ScheduleInstant? {
    let seconds = instant.milliseconds.flooredQuotient(by: 1000)
    let local = seconds + Int64(zone.offsetSeconds(at: WallInstant(instant)))
    let day = local.flooredQuotient(by: 86_400)
    var edges: [ScheduleInstant] = []
    func add(local seconds: Int64?) {
      guard let seconds else { return }
      edges.append(max(instant + 1, ScheduleInstant(ofLocal: seconds, in: zone)))
    }
    add(local: content.days.nextEdge(after: day).map { $0 * 86_400 })
    add(local: content.localTimes.nextEdge(after: local))
    if let edge = content.times.nextEdge(after: seconds) {
      edges.append(max(instant + 1, ScheduleInstant(milliseconds: edge * 1000)))
    }
    for event in content.events {
      guard event.isWholeDays else {
        edges += [event.nextEdge(after: instant, in: zone)].compactMap(\.self)
        continue
      }
      let edge = event.days(with: day)?.upperBound ?? event.firstDay(within: day + 1)
      add(local: edge.map { $0 * 86_400 })
    }
    for expression in content.expressions {
      edges += [expression.exclusion(in: zone).nextEdge(after: instant)].compactMap(\.self)
    }
    // A clock change repeats or skips local times.
    if !content.days.isEmpty || !content.localTimes.isEmpty || !content.events.isEmpty,
      let change = zone.nextChange(after: WallInstant(instant))
    {
      edges.append(ScheduleInstant(change))
    }
    return edges.min()
  }
}

extension SharedCalendar {
  /// The days around a day, itself included, that are named as a whole; nil if it is not. There may
  /// be more of them.
  func days(with day: Int64) -> Range<Int64>? {
    if let range = content.days.range(with: day) { return range }
    for event in content.events where event.isWholeDays {
      if let range = event.days(with: day) { return range }
    }
    for expression in content.expressions where expression.isWholeDays {
      if let range = expression.days(with: day) { return range }
    }
    return nil
  }

  /// The first day from `day` on that is named as a whole; nil where there is none.
  func firstDay(from day: Int64) -> Int64? {
    var first = content.days.first(from: day)
    for event in content.events where event.isWholeDays {
      if let found = event.firstDay(within: day) { first = min(first ?? found, found) }
    }
    for expression in content.expressions where expression.isWholeDays {
      if let found = expression.firstDay(from: day) { first = min(first ?? found, found) }
    }
    return first
  }
}

extension SharedCalendar.Expression {
  /// The first day from `day` on that the expression names; nil where there is none.
  func firstDay(from day: Int64) -> Int64? {
    CalendarLocalSearch(expression: expression).first(from: day * 86_400_000_000)
      .map { $0.flooredQuotient(by: 86_400_000_000) }
  }

  /// The days around a day, itself included, that an expression of whole days names in the month;
  /// nil if it does not name the day.
  func days(with day: Int64) -> Range<Int64>? {
    let (year, month, dayOfMonth) = CivilTime.date(daysSinceEpoch: day)
    let search = CalendarLocalSearch(expression: expression)
    guard day >= 0, search.firstYear(from: year) == year, search.months >> UInt64(month) & 1 == 1
    else { return nil }
    let local = LocalMonth(month, of: year)
    let named = search.days(of: local) & local.allDays
    guard named >> UInt32(dayOfMonth) & 1 == 1 else { return nil }
    let after = (~(named >> UInt32(dayOfMonth))).trailingZeroBitCount
    let before = (~(named << UInt32(31 - dayOfMonth))).leadingZeroBitCount
    return (day - Int64(before) + 1)..<(day + Int64(after))
  }
}
