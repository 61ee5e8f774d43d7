/// What the scheduler knows of one job.
struct JobState: Sendable {
  var spec: JobSpec
  var cursor: ScheduleCursor
  /// The slot that its timer waits for, with the token of the arming.
  var armed: (slot: Slot, token: UInt64)?

  /// What is kept of a job that a reload has removed, for when it comes back: a slot is decided
  /// once in the job's life, and its anchor is set once.
  struct Memory: Sendable {
    var cursor: ScheduleCursor
    var at: [WallInstant]
    /// Removals are numbered, so that the oldest is forgotten first.
    var number: UInt64
  }
}

/// A run that has not ended.
struct ActiveRun: Sendable {
  let id: RunID
  var spec: JobSpec
  let slot: Slot
  var machine: RunMachine
  var transitionCount: Int64 = 0
  var timerToken: UInt64 = 0

  init(id: RunID, spec: JobSpec, slot: Slot) {
    self.id = id
    self.spec = spec
    self.slot = slot
    machine = RunMachine(execution: spec.execution)
  }
}
