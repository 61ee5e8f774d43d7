import TaktTime

/// A job's own clock: it read the wall once, when takt first loaded the job, and has gone with the
/// monotonic clock since. The nominal instants of an `every` grid are its readings, so that a step
/// of the wall clock neither moves them nor names one of them twice.
package struct JobClock: Hashable, Sendable {
  /// The reading at `instant`, in milliseconds since the Unix epoch.
  let label: Int64
  let instant: MonotonicInstant

  /// A clock that was set before.
  init(label: Int64, instant: MonotonicInstant) {
    self.label = label
    self.instant = instant
  }

  /// A clock set by the wall, to the whole millisecond.
  init(at now: Now) {
    label = now.wall.milliseconds
    let fraction = now.wall.nanoseconds.flooredRemainder(by: 1_000_000)
    instant = now.monotonic - .nanoseconds(fraction)
  }

  /// The last whole millisecond at or before `instant`.
  func label(at instant: MonotonicInstant) -> Int64 {
    label + (instant.nanoseconds - self.instant.nanoseconds).flooredQuotient(by: 1_000_000)
  }

  func instant(of label: Int64) -> MonotonicInstant {
    instant + .milliseconds(label - self.label)
  }
}
