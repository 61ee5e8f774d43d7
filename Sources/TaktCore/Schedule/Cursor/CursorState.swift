package import TaktTime

/// A cursor in the ledger: plain numbers.
package struct CursorState: Hashable, Sendable {
  /// The job's clock's reading when it was set.
  package var clockReading: ScheduleInstant
  /// The time at which it was set; meaningless after the machine is restarted.
  package var clockInstant: MonotonicInstant
  /// The start of the grid of `every`, on the job's clock.
  package var anchor: ScheduleInstant
  /// The instant through which all is decided, on the job's own clock.
  package var clockMark: ScheduleInstant
  /// The instant through which all is decided, on the wall.
  package var wallMark: ScheduleInstant
  /// The next slot of a fixed delay; nil without one.
  package var delayed: ScheduleInstant?
  /// Nil instead of an empty text, which nearly all have.
  private var aheadText: Shared<String>?

  /// Further state; empty if there is none. `CursorMemory` reads it.
  package var ahead: String { aheadText?.value ?? "" }
}

extension CursorState {
  package init(
    clockReading: ScheduleInstant, clockInstant: MonotonicInstant, anchor: ScheduleInstant,
    clockMark: ScheduleInstant, wallMark: ScheduleInstant, delayed: ScheduleInstant? = nil,
    ahead: String = ""
  ) {
    self.init(
      clockReading: clockReading, clockInstant: clockInstant, anchor: anchor, clockMark: clockMark,
      wallMark: wallMark, delayed: delayed, aheadText: ahead.isEmpty ? nil : Shared(ahead))
  }
}

/// A job's position on its own clock and on the wall: all up to there is decided.
package struct ScheduleEdge: Hashable, Sendable {
  /// On the job's own clock.
  package var clock: ScheduleInstant
  /// On the wall.
  package var wall: ScheduleInstant
  package var at: WallInstant

  package init(clock: ScheduleInstant, wall: ScheduleInstant, at: WallInstant) {
    self.clock = clock
    self.wall = wall
    self.at = at
  }
}
