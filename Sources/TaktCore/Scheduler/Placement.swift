import TaktTime

/// Who serves a job's slots beside this machine.
///
/// Mostly there is nobody (`SchedulerCore.placement` is nil), and the scheduler decides everything by
/// itself. Where machines share jobs, it asks and tells a placement at the points below and at no
/// others. The one that there is, `ClusterPlacement`, lies in the folder Cluster/, without which
/// everything else of the scheduler compiles.
protocol Placement: SendableMetatype {
  // MARK: Slots

  /// Whether others may serve the job's slots too, so that they know best what became of them.
  static func shares(_ id: JobID, in core: inout SchedulerCore) -> Bool

  /// A wake has found these slots. Returns whether the placement has seen to them.
  static func takes(
    _ due: ScheduleCursor.Due, of id: JobID, in core: inout SchedulerCore, at now: Now
  ) -> Bool

  /// This slot is to get a run. Returns whether the placement has seen to it.
  static func takes(_ slot: Slot, of id: JobID, in core: inout SchedulerCore, at now: Now) -> Bool

  /// The time of these slots has gone by; `schedule` named them. Returns whether the placement finds
  /// out what became of them.
  static func takes(
    passed: [SlotSeries], of id: JobID, by schedule: Schedule?, in core: inout SchedulerCore,
    at now: Now
  ) -> Bool

  /// Whether a verdict may be recorded. Otherwise the placement records it later, or another one.
  ///
  /// - Parameter isAnswered: it comes from the placement, or nobody is to be asked.
  static func mayDecide(
    _ id: JobID, _ slots: SlotSeries, _ verdict: Verdict, isAnswered: Bool,
    in core: inout SchedulerCore, at now: Now
  ) -> Bool

  /// No run of a job with a fixed delay is active on this machine. Returns whether the placement
  /// knows from when the delay counts.
  static func takesDelay(of id: JobID, in core: inout SchedulerCore, at now: Now) -> Bool

  /// The slots of a job that wait for the placement's word.
  static func waitingSlots(of id: JobID, in core: SchedulerCore) -> [WallInstant]

  // MARK: Runs

  /// What an attempt's end comes to: a run whose time here was over has not ended by itself.
  static func amended(
    _ report: AttemptReport, of run: RunID, in core: inout SchedulerCore, at now: Now
  ) -> AttemptReport

  /// A run has ended; its row is still there. Returns whether it counts, so that what follows from
  /// it may follow at once.
  static func counts(
    _ end: RunEnd, of row: RunTable.Row, _ last: ActiveRun.Last, caller: HookCaller?,
    in core: inout SchedulerCore, at now: Now
  ) -> Bool

  // MARK: This machine

  /// Something has happened that the placement must hear of.
  static func note(_ event: PlacementEvent, in core: inout SchedulerCore, at now: Now)

  /// Whether the machines' files name different schedules for the job, and this one's is the older.
  static func isDrifted(_ id: JobID, in core: SchedulerCore) -> Bool

  /// The labels that a job needs and that no machine has; nil where one has them, as far as is known.
  static func missingLabels(of id: JobID, in core: SchedulerCore) -> [String: String]?

  /// The jobs of which there are such labels.
  static func unplacedJobs(in core: SchedulerCore) -> [JobName]

  /// Whether a stop need not wait for anybody.
  static func isDone(_ core: SchedulerCore) -> Bool
}

/// What a placement hears of.
enum PlacementEvent {
  /// takt goes on where a previous one has ended; no job is there yet.
  case starting(after: PreviousState)
  /// Somebody wants the jobs file read again; no job has changed yet.
  case reloading
  /// All jobs of a start or a reload are there.
  case jobsChanged
  /// The job was there when takt ended last.
  case restored(JobID, isChanged: Bool)
  case added(JobID, JobArrival)
  case changed(JobID, from: JobSpec)
  case removed(JobID)
  /// What has not started of a job is given up, as it is suspended or disabled.
  case givenUp(JobID)
  /// Somebody has suspended or resumed the job on this machine.
  case suspensionChanged(JobID)
  /// A run of this machine serves the slots.
  case ran(JobID, SlotSeries)
  /// A run of the job has made room.
  case runGone(JobID)
  case clockStepped(slept: Duration)
  /// An event or a command is about to be handled, perhaps long after the last one.
  case eventComes
  /// The timer that the placement armed has fired.
  case timerFired(token: UInt64)
  case answered(ClaimOutcome)
  /// The last of several events that belong together has been handled.
  case turnEnded
  case stopping, finished
}

/// Where a job that takt takes up comes from.
enum JobArrival {
  /// The jobs file has it since a reload.
  case reload
  /// takt starts. Where it cannot read the ledger that there is, what is past may have been decided.
  case start(isLedgerUnread: Bool)

  /// Whether takt has not heard of the job before, as far as is known.
  var isFirst: Bool {
    switch self {
    case .reload: true
    case .start(let isLedgerUnread): !isLedgerUnread
    }
  }
}

/// What a placement remembers from one event to the next. Nobody else looks into it.
protocol PlacementMemory: AnyObject, Sendable {}
