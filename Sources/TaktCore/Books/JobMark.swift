package import TaktTime

/// What of a job outlives takt: how far it has come, and how it fares.
package struct JobMark: Hashable, Sendable {
  /// Which job.
  package var job: JobName
  /// How far it has come in its schedule.
  package var cursor: CursorState
  /// How many runs in a row have failed.
  package var failureStreak: Int
  /// How many slots have run since the anchor.
  package var ranCount: Int
  /// Set while somebody has suspended it.
  package var suspension: Suspension?

  /// A job's mark.
  package init(
    job: JobName, cursor: CursorState, failureStreak: Int = 0, ranCount: Int = 0,
    suspension: Suspension? = nil
  ) {
    self.job = job
    self.cursor = cursor
    self.failureStreak = failureStreak
    self.ranCount = ranCount
    self.suspension = suspension
  }
}

/// Somebody has put a job to rest. Its slots are `skipped(suspended)`; its runs go on.
package struct Suspension: Hashable, Sendable {
  /// Since when.
  package var since: WallInstant
  /// When it is over by itself; nil for never.
  package var until: WallInstant?
  /// Why, in the words of whoever did it; empty when nothing was said.
  package var reason: String

  /// A suspension.
  package init(since: WallInstant, until: WallInstant? = nil, reason: String = "") {
    self.since = since
    self.until = until
    self.reason = reason
  }
}
