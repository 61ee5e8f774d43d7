package import TaktTime

/// An event of a calendar file that recurs.
package struct CalendarEvent: Hashable, Sendable {
  /// When it begins, in the local time of its zone.
  package let recurrence: Recurrence
  /// How long it lasts: in days for one of whole days, else in seconds. At least 1.
  package let length: Int64
  package let isWholeDays: Bool
  /// Where it takes place; nil for the zone of the job.
  package let zone: Zone?

  /// No event that recurs lasts longer than a year.
  package static func lengths(isWholeDays: Bool) -> ClosedRange<Int64> {
    1...(isWholeDays ? 366 : 366 * day)
  }

  /// - Parameter length: in days for an event of whole days, else in seconds; one of `lengths`.
  package init(_ recurrence: Recurrence, length: Int64, isWholeDays: Bool, zone: Zone?) {
    self.recurrence = recurrence
    self.length = length
    self.isWholeDays = isWholeDays
    self.zone = zone
  }

  /// By what most differ in.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(recurrence.start)
    hasher.combine(length)
  }

  private static let day: Int64 = 86_400

  // MARK: Whole days

  /// The days of the last occurrence that begins at or before a day and has it; nil where none has.
  func days(with day: Int64) -> Range<Int64>? {
    guard let first = firstDay(from: day - length + 1), first <= day else { return nil }
    return first..<(first + length)
  }

  /// The first day that an occurrence has and that is not before `day`; nil where there is none.
  func firstDay(within day: Int64) -> Int64? {
    if days(with: day) != nil { return day }
    return firstDay(from: day)
  }

  /// The first day from `day` on at which an occurrence begins; nil where there is none.
  private func firstDay(from day: Int64) -> Int64? {
    recurrence.first(from: day * Self.day).map { $0.flooredQuotient(by: Self.day) }
  }

  // MARK: Times

  /// Whether an occurrence has an instant.
  func contains(_ instant: ScheduleInstant, in jobZone: Zone) -> Bool {
    guard let start = next(after: instant - length * 1000, in: jobZone) else { return false }
    return start <= instant
  }

  /// The first instant after this one at which an occurrence begins or ends; nil where none does.
  func nextEdge(after instant: ScheduleInstant, in jobZone: Zone) -> ScheduleInstant? {
    let start = next(after: instant, in: jobZone)
    guard let end = next(after: instant - length * 1000, in: jobZone).map({ $0 + length * 1000 })
    else { return start }
    return start.map { min($0, end) } ?? end
  }

  private func next(after instant: ScheduleInstant, in jobZone: Zone) -> ScheduleInstant? {
    recurrence.next(
      after: WallInstant(max(instant, 0)), in: zone ?? jobZone, dst: recurrence.ownDST
    ).map { ScheduleInstant($0) }
  }
}
