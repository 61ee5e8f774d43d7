/// What the scheduler knows of one job.
struct JobState: Sendable {
  var spec: JobSpec
  var cursor: ScheduleCursor
  /// The slot that its timer waits for, with the token of the arming.
  var armed: (slot: Slot, token: UInt64)?
  /// How many runs in a row have failed.
  var failureStreak = 0

  /// What is kept of a job that a reload has removed, for when it comes back: a slot is decided
  /// once in the job's life, and its anchor is set once.
  struct Memory: Sendable {
    var cursor: ScheduleCursor
    var at: [WallInstant]
    var failureStreak: Int
    /// Removals are numbered, so that the oldest is forgotten first.
    var number: UInt64
  }
}
