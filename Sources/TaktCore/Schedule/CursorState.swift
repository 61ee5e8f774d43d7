package import TaktTime

/// A cursor as it is kept: plain numbers.
package struct CursorState: Hashable, Sendable {
  /// What the job's clock read when it was set, in milliseconds since the epoch.
  package var clockLabel: Int64
  /// When it was set; it means nothing after the machine has been started anew.
  package var clockInstant: MonotonicInstant
  /// Where the grid of `every` begins, on the job's clock.
  package var anchor: Int64
  /// All up to here is behind the job, on its own clock.
  package var clockMark: Int64
  /// All up to here is behind the job, on the wall.
  package var wallMark: Int64
  /// The next slot of a fixed delay; nil without one.
  package var delayed: Int64?
  /// Nil instead of an empty text, which nearly all have.
  private var aheadText: Shared<String>?

  /// What one axis has decided ahead of the other, after somebody has stepped the wall clock; empty
  /// when there is nothing. `DecidedAhead` knows how to read it.
  package var ahead: String { aheadText?.value ?? "" }
}

extension CursorState {
  package init(
    clockLabel: Int64, clockInstant: MonotonicInstant, anchor: Int64, clockMark: Int64,
    wallMark: Int64, delayed: Int64? = nil, ahead: String = ""
  ) {
    self.init(
      clockLabel: clockLabel, clockInstant: clockInstant, anchor: anchor, clockMark: clockMark,
      wallMark: wallMark, delayed: delayed, aheadText: ahead.isEmpty ? nil : Shared(ahead))
  }
}

/// How far a job has come on its own clock and on the wall: all up to there is behind it.
package struct ScheduleEdge: Hashable, Sendable {
  /// On the job's own clock, in milliseconds.
  package var clock: Int64
  /// On the wall, in milliseconds.
  package var wall: Int64
  package var at: WallInstant

  package init(clock: Int64, wall: Int64, at: WallInstant) {
    self.clock = clock
    self.wall = wall
    self.at = at
  }
}
