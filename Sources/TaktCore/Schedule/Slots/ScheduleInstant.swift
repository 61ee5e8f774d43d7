package import TaktTime

/// An instant of a schedule, in whole milliseconds since the Unix epoch: a reading of the wall clock
/// or of a job's own clock.
package struct ScheduleInstant: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  package var milliseconds: Int64

  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package init(integerLiteral milliseconds: Int64) { self.milliseconds = milliseconds }

  /// The millisecond that an instant of the wall clock is in.
  package init(_ instant: WallInstant) { milliseconds = instant.milliseconds }

  package static let min = ScheduleInstant(milliseconds: .min)
  package static let max = ScheduleInstant(milliseconds: .max)

  package static func < (left: ScheduleInstant, right: ScheduleInstant) -> Bool {
    left.milliseconds < right.milliseconds
  }

  package static func + (instant: ScheduleInstant, milliseconds: Int64) -> ScheduleInstant {
    ScheduleInstant(milliseconds: instant.milliseconds + milliseconds)
  }

  package static func - (instant: ScheduleInstant, milliseconds: Int64) -> ScheduleInstant {
    ScheduleInstant(milliseconds: instant.milliseconds - milliseconds)
  }

  package static func - (left: ScheduleInstant, right: ScheduleInstant) -> Int64 {
    left.milliseconds - right.milliseconds
  }

  package static func += (instant: inout ScheduleInstant, milliseconds: Int64) {
    instant.milliseconds += milliseconds
  }
}

extension ScheduleInstant {
  /// The first instant of a local time, in seconds as if the zone were UTC; the end of the gap for one
  /// that a clock change skips.
  init(ofLocal seconds: Int64, in zone: Zone) {
    switch zone.read(CivilTime(epochSeconds: seconds)) {
    case .once(let instant), .skipped(let instant), .twice(let instant, _): self.init(instant)
    }
  }
}

extension WallInstant {
  package init(_ instant: ScheduleInstant) { self.init(milliseconds: instant.milliseconds) }
}

extension SlotSeries {
  /// The single slot of an instant.
  init(_ instant: ScheduleInstant) { self.init(WallInstant(instant)) }

  init(first: ScheduleInstant, last: ScheduleInstant, count: Int) {
    self.init(first: WallInstant(first), last: WallInstant(last), count: count)
  }
}
