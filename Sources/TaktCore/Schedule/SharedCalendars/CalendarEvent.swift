package import TaktTime

/// An event of a calendar file that recurs.
package struct CalendarEvent: Hashable, Sendable {
  /// Its starts, in the local time of its zone.
  package let recurrence: Recurrence
  /// In days for an event of whole days, otherwise in seconds, after `nominalDays`.
  package let length: Int64
  /// The days by the clock in its length: to the same time of another day. 0 for an event of whole
  /// days.
  package let nominalDays: Int64
  package let isWholeDays: Bool
  /// Nil for the zone of the job.
  package let zone: Zone?

  /// No event that recurs lasts longer than a year.
  package static func mayLast(
    _ length: Int64, afterDays nominalDays: Int64 = 0, isWholeDays: Bool
  ) -> Bool {
    guard 0...366 ~= nominalDays, 0...(366 * day) ~= length else { return false }
    if isWholeDays { return nominalDays == 0 && 1...366 ~= length }
    return 1...(366 * day) ~= nominalDays * day + length
  }

  /// - Parameters:
  ///   - length: in days for an event of whole days, otherwise in seconds.
  ///   - nominalDays: days by the clock before these seconds. Both as `mayLast` allows.
  package init(
    _ recurrence: Recurrence, length: Int64, nominalDays: Int64 = 0, isWholeDays: Bool, zone: Zone?
  ) {
    self.recurrence = recurrence
    self.length = length
    self.nominalDays = nominalDays
    self.isWholeDays = isWholeDays
    self.zone = zone
  }

  /// Hashes the fields in which most differ.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(recurrence.start)
    hasher.combine(length)
  }

  private static let day: Int64 = 86_400

  /// The days of the last occurrence that starts at or before a day and has it; nil if none has.
  func days(with day: Int64) -> Range<Int64>? {
    guard let first = firstDay(from: day - length + 1), first <= day else { return nil }
    return first..<(first + length)
  }

  /// The first day that an occurrence has and that is not before `day`; nil where there is none.
  func firstDay(within day: Int64) -> Int64? {
    if days(with: day) != nil { return day }
    return firstDay(from: day)
  }

  /// The first day from `day` on at which an occurrence starts; nil if there is none.
  private func firstDay(from day: Int64) -> Int64? {
    recurrence.first(from: day * Self.day).map { $0.flooredQuotient(by: Self.day) }
  }

  func contains(_ instant: ScheduleInstant, in jobZone: Zone) -> Bool {
    if recurrence.recursWithinHour {
      guard let start = next(after: instant - seconds * 1000, in: jobZone) else { return false }
      return start <= instant
    }
    let (zone, time) = (zone ?? jobZone, instant.milliseconds.flooredQuotient(by: 1000))
    let offsets = offsets(near: time, in: zone)
    var next = first(from: time - seconds + offsets.lowerBound + 1, in: zone)
    while let start = next, start <= time + offsets.upperBound {
      if zone.instant(ofDateTime: start) <= time, time < end(ofStart: start, in: zone) {
        return true
      }
      next = first(from: start + 1, in: zone)
    }
    return false
  }

  /// The first instant after this one at which an occurrence starts or ends; nil if there is none.
  func nextEdge(after instant: ScheduleInstant, in jobZone: Zone) -> ScheduleInstant? {
    if recurrence.recursWithinHour {
      let start = next(after: instant, in: jobZone)
      let end = next(after: instant - seconds * 1000, in: jobZone).map { $0 + seconds * 1000 }
      return [start, end].compactMap(\.self).min()
    }
    let (zone, time) = (zone ?? jobZone, instant.milliseconds.flooredQuotient(by: 1000))
    let ahead = offsets(near: time, in: zone).lowerBound + 1
    let edges = [
      edge(after: time, from: time + ahead, in: zone, days: 0) { zone.instant(ofDateTime: $0) },
      edge(after: time, from: time - seconds + ahead, in: zone, days: nominalDays) {
        end(ofStart: $0, in: zone)
      },
    ]
    return edges.compactMap(\.self).min().map { ScheduleInstant(milliseconds: $0 * 1000) }
  }

  /// The length without clock changes.
  private var seconds: Int64 { nominalDays * Self.day + length }

  private func end(ofStart local: Int64, in zone: Zone) -> Int64 {
    let start = zone.instant(ofDateTime: local)
    guard nominalDays > 0 else { return start + length }
    return max(start + 1, zone.instant(ofDateTime: local + nominalDays * Self.day) + length)
  }

  /// The first beginning that is not before a local time; nil when there is none.
  private func first(from local: Int64, in zone: Zone) -> Int64? {
    var from = local
    while let start = recurrence.first(from: from) {
      if case .instant(let last)? = recurrence.rule?.end, zone.instant(ofDateTime: start) > last {
        return nil
      }
      guard recurrence.exceptions.hasInstant(ofDateTime: start, in: zone) else { return start }
      from = start + 1
    }
    return nil
  }

  /// The first instant after `time` that `edge` makes of the starts from a local time on, by the
  /// clock `days` later.
  private func edge(
    after time: Int64, from local: Int64, in zone: Zone, days: Int64, of edge: (Int64) -> Int64
  ) -> Int64? {
    var next = first(from: local, in: zone)
    while let start = next, edge(start) <= time { next = first(from: start + 1, in: zone) }
    guard let start = next else { return nil }
    var found = edge(start)
    // A time that a clock change skips comes after some that are later by the clock.
    guard case .skipped = zone.read(CivilTime(epochSeconds: start + days * Self.day)) else {
      return found
    }
    next = first(from: start + 1, in: zone)
    while let later = next, later - start < Self.day {
      let other = edge(later)
      if other > time { found = min(found, other) }
      next = first(from: later + 1, in: zone)
    }
    return found
  }

  /// By how much local time is ahead of UTC while an occurrence may last that has an instant.
  private func offsets(near time: Int64, in zone: Zone) -> ClosedRange<Int64> {
    var span = zone.span(atEpochSeconds: time - seconds - 2 * Self.day)
    var offsets = Int64(span.offsetSeconds)...Int64(span.offsetSeconds)
    while span.end < time + 2 * Self.day {
      span = zone.span(atEpochSeconds: span.end)
      let offset = Int64(span.offsetSeconds)
      offsets = min(offset, offsets.lowerBound)...max(offset, offsets.upperBound)
    }
    return offsets
  }

  private func next(after instant: ScheduleInstant, in jobZone: Zone) -> ScheduleInstant? {
    recurrence.next(
      after: WallInstant(max(instant, 0)), in: zone ?? jobZone, dst: recurrence.ownDST
    ).map { ScheduleInstant($0) }
  }
}

extension Zone {
  /// The instant of a local time as RFC 5545 reads it (3.3.5), in seconds: one that a clock change skips
  /// by the offset before the gap, one that it repeats in its first pass.
  func instant(ofDateTime local: Int64) -> Int64 {
    switch read(CivilTime(epochSeconds: local)) {
    case .once(let instant), .twice(let instant, _):
      return instant.milliseconds.flooredQuotient(by: 1000)
    case .skipped(let next):
      let end = next.milliseconds.flooredQuotient(by: 1000)
      return local - Int64(offsetSeconds(atEpochSeconds: end - 1))
    }
  }
}
