/// What of a job outlives takt: how far it has come, and how it fares.
public struct JobMark: Hashable, Sendable {
  /// Which job.
  public var job: JobName
  /// How far it has come in its schedule.
  public var cursor: CursorState
  /// How many runs in a row have failed.
  public var failureStreak: Int
  /// How many slots have run since the anchor.
  public var ranCount: Int
  /// Set while somebody has suspended it.
  public var suspension: Suspension?

  /// A job's mark.
  public init(
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
public struct Suspension: Hashable, Sendable {
  /// Since when.
  public var since: WallInstant
  /// When it is over by itself; nil for never.
  public var until: WallInstant?
  /// Why, in the words of whoever did it; empty when nothing was said.
  public var reason: String

  /// A suspension.
  public init(since: WallInstant, until: WallInstant? = nil, reason: String = "") {
    self.since = since
    self.until = until
    self.reason = reason
  }
}
