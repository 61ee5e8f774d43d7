package import TaktTime

/// A job's own clock: it read the wall once, when takt first loaded the job, and has gone with the
/// monotonic clock since. The nominal instants of an `every` grid are its readings, so that a step
/// of the wall clock neither moves them nor names one of them twice.
package struct JobClock: Hashable, Sendable {
  /// The reading at `instant`.
  let reading: ScheduleInstant
  let instant: MonotonicInstant

  /// A clock that was set before.
  package init(reading: ScheduleInstant, instant: MonotonicInstant) {
    self.reading = reading
    self.instant = instant
  }

  /// A clock set by the wall, to the whole millisecond.
  init(at now: Now) {
    reading = ScheduleInstant(now.wall)
    let fraction = now.wall.nanoseconds.flooredRemainder(by: 1_000_000)
    instant = now.monotonic - .nanoseconds(fraction)
  }

  /// The last whole millisecond at or before `instant`.
  package func reading(at instant: MonotonicInstant) -> ScheduleInstant {
    reading + (instant.nanoseconds - self.instant.nanoseconds).flooredQuotient(by: 1_000_000)
  }

  func instant(of reading: ScheduleInstant) -> MonotonicInstant {
    let distance = (reading - self.reading).multipliedSaturated(by: 1_000_000)
    return MonotonicInstant(nanoseconds: instant.nanoseconds.addingSaturated(distance))
  }
}
