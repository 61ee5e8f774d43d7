package import TaktTime

/// Times whose slots are skipped: the whole days, or the seconds, that a calendar expression names.
package struct Exclusion: Hashable, Sendable {
  /// A zone in it has been looked up.
  package var expression: CalendarExpression
  /// True if it names whole days: it was written without a time of day.
  package var isWholeDays: Bool
  package var zone: Zone

  package init(_ expression: CalendarExpression, isWholeDays: Bool, zone: Zone) {
    self.expression = expression
    self.isWholeDays = isWholeDays
    self.zone = zone
  }

  /// True if an expression with this text names whole days.
  package static func namesWholeDays(_ text: String, _ expression: CalendarExpression) -> Bool {
    !text.contains(":") && expression.normalized.contains(" 00:00:00")
  }

  /// The longest range, in seconds, that lies within as a whole or not at all.
  private var unit: Int64 {
    if isWholeDays { return 86_400 }
    guard expression.seconds == Self.everySecond else { return 1 }
    return expression.minutes.isEmpty ? (expression.hours.isEmpty ? 86_400 : 3600) : 60
  }

  private static let everySecond = [CalendarTerm(0, every: CalendarUnit.second.scale)]

  func contains(_ instant: ScheduleInstant) -> Bool {
    let start = unitStart(of: instant)
    return nextUnit(from: start) == start
  }

  /// The first instant after this one at which `contains` may answer otherwise; nil when there is
  /// none.
  func nextEdge(after instant: ScheduleInstant) -> ScheduleInstant? {
    let start = unitStart(of: instant)
    let isInside = nextUnit(from: start) == start
    let local = isInside ? start + unit : nextUnit(from: start + unit)
    let edge = local.map { max(instant + 1, ScheduleInstant(ofLocal: $0, in: zone)) }
    // A clock change back repeats local times.
    let change = zone.nextChange(after: WallInstant(instant)).map { ScheduleInstant($0) }
    guard let edge, let change else { return edge ?? change }
    return min(edge, change)
  }

  /// The day or second in which an instant is, in local seconds.
  private func unitStart(of instant: ScheduleInstant) -> Int64 {
    let offset = Int64(zone.offsetSeconds(at: WallInstant(instant)))
    let local = instant.milliseconds.flooredQuotient(by: 1000) + offset
    return local - local.flooredRemainder(by: unit)
  }

  /// The first day or second from `local` on that the expression names. It is evaluated in UTC, so
  /// that no clock change interferes, and without systemd's own ways.
  private func nextUnit(from local: Int64) -> Int64? {
    let start = WallInstant(milliseconds: local * 1000)
    guard let found = expression.next(after: start.justBefore, in: .utc, dst: .cron)
    else { return nil }
    let seconds = found.milliseconds.flooredQuotient(by: 1000)
    return seconds - seconds.flooredRemainder(by: unit)
  }
}

/// Times by which series of slots are divided.
protocol InstantFilter {
  func contains(_ instant: ScheduleInstant) -> Bool

  /// The first instant after this one at which `contains` may answer otherwise; nil when there is
  /// none.
  func nextEdge(after instant: ScheduleInstant) -> ScheduleInstant?
}

extension [Exclusion]: InstantFilter {
  func contains(_ instant: ScheduleInstant) -> Bool { contains { $0.contains(instant) } }

  func nextEdge(after instant: ScheduleInstant) -> ScheduleInstant? {
    compactMap { $0.nextEdge(after: instant) }.min()
  }
}

extension InstantFilter {
  /// Divides a series into the slots that lie within and the others, in unbroken pieces.
  func divide(
    _ series: SlotSeries, of instantSet: InstantSet
  ) -> (excluded: [SlotSeries], others: [SlotSeries]) {
    // Beside a grid alone single instants are no part of its series.
    let instantSet =
      instantSet.rules.isEmpty && series.count > 1 ? InstantSet(grid: instantSet.grid) : instantSet
    var (excluded, others): ([SlotSeries], [SlotSeries]) = ([], [])
    var rest = series
    var wasExcluded: Bool?
    while rest.count > 0 {
      let first = ScheduleInstant(rest.first)
      let isExcluded = contains(first)
      let edge = nextEdge(after: first) ?? .max
      var piece = rest
      if rest.count > 1, edge <= ScheduleInstant(rest.last) {
        piece = instantSet.series(after: first - 1, through: edge - 1) ?? SlotSeries(rest.first)
      }
      // Neighbours of one kind are one piece.
      if wasExcluded == isExcluded {
        if isExcluded { excluded.extendLast(by: piece) } else { others.extendLast(by: piece) }
      } else if isExcluded {
        excluded.append(piece)
      } else {
        others.append(piece)
      }
      wasExcluded = isExcluded
      guard piece.count < rest.count, let next = instantSet.next(after: ScheduleInstant(piece.last))
      else {
        break
      }
      rest.first = WallInstant(next)
      rest.count -= piece.count
    }
    return (excluded, others)
  }
}

extension [SlotSeries] {
  fileprivate mutating func extendLast(by piece: SlotSeries) {
    self[count - 1].last = piece.last
    self[count - 1].count += piece.count
  }
}
