package import TaktTime

/// A cursor as it is kept: plain numbers.
package struct CursorState: Hashable, Sendable {
  /// What the job's clock read when it was set.
  package var clockReading: ScheduleInstant
  /// When it was set; it means nothing after the machine has been started anew.
  package var clockInstant: MonotonicInstant
  /// Where the grid of `every` begins, on the job's clock.
  package var anchor: ScheduleInstant
  /// All up to here is behind the job, on its own clock.
  package var clockMark: ScheduleInstant
  /// All up to here is behind the job, on the wall.
  package var wallMark: ScheduleInstant
  /// The next slot of a fixed delay; nil without one.
  package var delayed: ScheduleInstant?
  /// Nil instead of an empty text, which nearly all have.
  private var aheadText: Shared<String>?

  /// What has to be remembered beside; empty when there is nothing. `CursorMemory` knows how to read
  /// it.
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

/// How far a job has come on its own clock and on the wall: all up to there is behind it.
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
