/// A job's schedule, and from where on it applies.
public struct ScheduleVersion: Hashable, Sendable {
  /// Whose schedule.
  public var job: JobName
  /// When the job is due.
  public var schedule: Schedule
  /// False: slots that pass are `skipped(suspended)`.
  public var isEnabled: Bool
  /// Where the grid of `every` begins.
  public var anchor: Int64
  /// All slots up to here belong to what was before.
  public var from: ScheduleEdge
  /// Single instants of `at` count from here on; nil for all of them, as when takt hears of the job
  /// for the first time.
  public var instantsFrom: Int64?

  /// A schedule from an edge on.
  public init(
    job: JobName, schedule: Schedule, isEnabled: Bool, anchor: Int64, from: ScheduleEdge,
    instantsFrom: Int64?
  ) {
    self.job = job
    self.schedule = schedule
    self.isEnabled = isEnabled
    self.anchor = anchor
    self.from = from
    self.instantsFrom = instantsFrom
  }
}

/// How far a job has come on its own clock and on the wall: all up to there is behind it.
public struct ScheduleEdge: Hashable, Sendable {
  /// On the job's own clock, in milliseconds.
  public var clock: Int64
  /// On the wall, in milliseconds.
  public var wall: Int64
  /// When that was.
  public var at: WallInstant

  /// An edge between two schedules.
  public init(clock: Int64, wall: Int64, at: WallInstant) {
    self.clock = clock
    self.wall = wall
    self.at = at
  }
}
