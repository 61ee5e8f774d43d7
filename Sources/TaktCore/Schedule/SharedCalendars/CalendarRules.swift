package import TaktTime

/// A job's use of shared calendars, and of times that it keeps to.
package struct CalendarRules: Hashable, Sendable {
  /// Calendars whose times are left out.
  package var except: [SharedCalendar] = []
  /// Calendars whose times are the only ones; with `onlyOnTimes`.
  package var onlyOn: [SharedCalendar] = []
  package var onlyOnTimes: [Exclusion] = []
  /// The zone of the job, in which days are read.
  package var zone: Zone
  /// The direction in which slots of whole days that are left out move; nil (the default) to skip
  /// them.
  package var direction: DayMove.Direction?

  package init(in zone: Zone) { self.zone = zone }

  /// True if nothing is left out.
  package var isEmpty: Bool { except.isEmpty && onlyOn.isEmpty && onlyOnTimes.isEmpty }

  /// True if some times are the only ones.
  package var hasOnlyOn: Bool { !onlyOn.isEmpty || !onlyOnTimes.isEmpty }

  /// The moves of times from days that are left out; nil if they stay.
  package func move(beside exclusions: [Exclusion]) -> DayMove? {
    guard let direction else { return nil }
    func days(_ exclusions: [Exclusion]) -> [SharedCalendar.Expression] {
      exclusions.filter(\.isWholeDays).map {
        SharedCalendar.Expression($0.expression, isWholeDays: true, zone: $0.zone)
      }
    }
    return DayMove(
      direction, except: DaySet(except, expressions: days(exclusions)),
      only: hasOnlyOn ? DaySet(onlyOn, expressions: days(onlyOnTimes)) : nil)
  }
}

extension CalendarRules: InstantFilter {
  func contains(_ instant: ScheduleInstant) -> Bool {
    except.contains { $0.contains(instant, in: zone) } || isOutside(instant)
  }

  /// True if it is in none of the only times.
  private func isOutside(_ instant: ScheduleInstant) -> Bool {
    hasOnlyOn && !onlyOn.contains { $0.contains(instant, in: zone) }
      && !onlyOnTimes.contains { $0.contains(instant) }
  }

  func nextEdge(after instant: ScheduleInstant) -> ScheduleInstant? {
    (except.compactMap { $0.nextEdge(after: instant, in: zone) }
      + [onlyEdge(after: instant)].compactMap(\.self)).min()
  }

  private func onlyEdge(after instant: ScheduleInstant) -> ScheduleInstant? {
    (onlyOn.compactMap { $0.nextEdge(after: instant, in: zone) }
      + onlyOnTimes.compactMap { $0.nextEdge(after: instant) }).min()
  }

  /// The first instant after this one, which is left out, that may not be; nil when there is none.
  func end(after instant: ScheduleInstant) -> ScheduleInstant? {
    var edges: [ScheduleInstant?] = except.filter { $0.contains(instant, in: zone) }.map {
      $0.nextEdge(after: instant, in: zone)
    }
    if isOutside(instant) { edges.append(onlyEdge(after: instant)) }
    return edges.contains(nil) ? nil : edges.compactMap(\.self).max()
  }
}

extension Schedule {
  /// All that leaves out slots; nil where nothing does, as in most schedules.
  package var excludedTimes: ExcludedTimes? {
    let calendars = self.calendars
    return exclusions.isEmpty && calendars == nil
      ? nil : ExcludedTimes(exclusions: exclusions, calendars: calendars)
  }

  package func excludes(_ instant: WallInstant) -> Bool {
    excludedTimes?.contains(ScheduleInstant(instant)) ?? false
  }

  /// The first instant after this one, which is excluded, that may not be; nil when there is none.
  package func exclusionEdge(after instant: WallInstant) -> WallInstant? {
    let instant = ScheduleInstant(instant)
    var edges: [ScheduleInstant?] = exclusions.filter { $0.contains(instant) }.map {
      $0.nextEdge(after: instant)
    }
    if let calendars, calendars.contains(instant) { edges.append(calendars.end(after: instant)) }
    return edges.contains(nil) ? nil : edges.compactMap(\.self).max().map { WallInstant($0) }
  }
}

/// Times whose slots a schedule leaves out.
package struct ExcludedTimes: InstantFilter {
  let exclusions: [Exclusion]
  let calendars: CalendarRules?

  func contains(_ instant: ScheduleInstant) -> Bool {
    exclusions.contains { $0.contains(instant) } || calendars?.contains(instant) ?? false
  }

  func nextEdge(after instant: ScheduleInstant) -> ScheduleInstant? {
    exclusions.nextEdge(after: instant, or: calendars?.nextEdge(after: instant))
  }
}

extension [Exclusion] {
  fileprivate func nextEdge(
    after instant: ScheduleInstant, or other: ScheduleInstant?
  ) -> ScheduleInstant? {
    let edges = compactMap { $0.nextEdge(after: instant) } + [other].compactMap(\.self)
    return edges.min()
  }
}

extension Schedule {
  /// The reasons why an instant is left out: calendars by their names, and expressions; empty if it
  /// is not.
  package func exclusionNames(at instant: WallInstant) -> [String] {
    let instant = ScheduleInstant(instant)
    return exclusions.filter { $0.contains(instant) }.map(\.expression.normalized)
      + (calendars?.names(at: instant) ?? [])
  }
}

extension CalendarRules {
  fileprivate func names(at instant: ScheduleInstant) -> [String] {
    except.filter { $0.contains(instant, in: zone) }.map(\.name)
      + (isOutside(instant) ? ["not in only_on"] : [])
  }
}

extension Schedule {
  /// The days from which the slot at an instant has been moved, each as a number of days since the
  /// epoch; empty for one that is where its rule says.
  package func daysMoved(to instant: WallInstant) -> [Int64] {
    Array(
      Set(rules.flatMap { $0.daysMoved(to: ScheduleInstant(instant)) }).sorted()
        .prefix(FilteredExpression.movedMax))
  }

  /// The target of the slot that a rule names at an instant; nil if it stays, or if there is none.
  package func moved(_ instant: WallInstant) -> WallInstant? {
    rules.lazy.compactMap { $0.moved(ScheduleInstant(instant)) }.first.map { WallInstant($0) }
  }
}

extension ClockRule {
  /// It with the slots of all days where they are, and without holidays.
  package var withoutCalendars: ClockRule {
    guard var filter = expression.filter, filter.move != nil || filter.holidays != nil else {
      return self
    }
    filter.move = nil
    filter.holidays = nil
    return ClockRule(expression.unfiltered.filtered(on: filter), zone: zone, dst: dst)
  }

  private var unmoved: ClockRule? {
    guard var filter = expression.filter, filter.move != nil else { return nil }
    filter.move = nil
    return ClockRule(expression.unfiltered.filtered(on: filter), zone: zone, dst: dst)
  }

  fileprivate func daysMoved(to instant: ScheduleInstant) -> [Int64] {
    guard case .filtered(let filtered) = expression, filtered.value.filter.move != nil,
      has(instant)
    else { return [] }
    return filtered.value.daysMoved(to: WallInstant(instant), in: zone, dst: dst)
  }

  fileprivate func moved(_ instant: ScheduleInstant) -> ScheduleInstant? {
    guard case .filtered(let filtered) = expression, let unmoved, unmoved.has(instant) else {
      return nil
    }
    return filtered.value.moved(WallInstant(instant), in: zone, dst: dst).map {
      ScheduleInstant($0)
    }
  }
}
