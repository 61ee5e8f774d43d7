import TaktTime

/// Decides which machine serves a job's slots.
///
/// Mostly there is none (`SchedulerCore.placement` is nil), and the scheduler decides everything by
/// itself. If machines share jobs, it calls a placement at the points below and at no others. The
/// only one, `ClusterPlacement`, is in the folder Cluster/, without which the rest of the scheduler
/// compiles.
protocol Placement: SendableMetatype {
  // MARK: Slots

  /// True if others may serve the job's slots too, so that they know best about their verdicts.
  static func shares(_ id: JobID, in core: inout SchedulerCore) -> Bool

  /// The due slots at a wake-up. Returns true if the placement handles them.
  static func takes(
    _ due: ScheduleCursor.Due, of id: JobID, in core: inout SchedulerCore, at now: Now
  ) -> Bool

  /// A slot that should get a run. Returns true if the placement handles it.
  static func takes(_ slot: Slot, of id: JobID, in core: inout SchedulerCore, at now: Now) -> Bool

  /// The time of these slots, which `schedule` named, has passed. Returns true if the placement
  /// finds out their verdicts.
  static func takes(
    passed: [SlotSeries], of id: JobID, by schedule: Schedule?, in core: inout SchedulerCore,
    at now: Now
  ) -> Bool

  /// True if a verdict may be recorded. Otherwise the placement records it later, or another one.
  ///
  /// - Parameter isAnswered: it comes from the placement, or need not be asked for.
  static func mayDecide(
    _ id: JobID, _ slots: SlotSeries, _ verdict: Verdict, isAnswered: Bool,
    in core: inout SchedulerCore, at now: Now
  ) -> Bool

  /// No run of a job with a fixed delay is active on this machine. Returns true if the placement
  /// knows the start of the delay.
  static func takesDelay(of id: JobID, in core: inout SchedulerCore, at now: Now) -> Bool

  /// The slots of a job that wait for the placement's answer.
  static func waitingSlots(of id: JobID, in core: SchedulerCore) -> [WallInstant]

  // MARK: Runs

  /// The final form of an attempt's end: a run whose time here was over has not ended by itself.
  static func amended(
    _ report: AttemptReport, of run: RunID, in core: inout SchedulerCore, at now: Now
  ) -> AttemptReport

  /// A run has ended; its row still exists. Returns true if it counts, so that its consequences may
  /// follow at once.
  static func counts(
    _ end: RunEnd, of row: RunTable.Row, _ last: ActiveRun.Last, caller: HookCaller?,
    in core: inout SchedulerCore, at now: Now
  ) -> Bool

  // MARK: This machine

  static func note(_ event: PlacementEvent, in core: inout SchedulerCore, at now: Now)

  /// True if the machines' files name different schedules for the job, and this one's is the older.
  static func isDrifted(_ id: JobID, in core: SchedulerCore) -> Bool

  /// The labels that a job needs and that no machine has; nil if one has them, as far as is known.
  static func missingLabels(of id: JobID, in core: SchedulerCore) -> [String: String]?

  /// The jobs with such labels.
  static func unplacedJobs(in core: SchedulerCore) -> [JobName]

  /// True if a stop need not wait for the placement.
  static func isDone(_ core: SchedulerCore) -> Bool
}

enum PlacementEvent {
  /// takt continues from a previous daemon; no job is loaded yet.
  case starting(after: PreviousState)
  /// A reload was requested; no job has changed yet.
  case reloading
  /// All jobs of a start or a reload are loaded.
  case jobsChanged
  /// The job existed when takt ended last.
  case restored(JobID, isChanged: Bool)
  case added(JobID, JobArrival)
  case changed(JobID, from: JobSpec)
  case removed(JobID)
  /// Slots of a job that have not started are given up, as it is suspended or disabled.
  case givenUp(JobID)
  /// A user has suspended or resumed the job on this machine.
  case suspensionChanged(JobID)
  /// A run of this machine serves the slots.
  case ran(JobID, SlotSeries)
  /// A run of the job has made room.
  case runGone(JobID)
  case clockStepped(slept: Duration)
  /// An event or a command is about to be handled, perhaps long after the last one.
  case eventComes
  case timerFired(token: UInt64)
  case answered(ClaimOutcome)
  /// The last of several events that belong together has been handled.
  case turnEnded
  case stopping, finished
}

/// The origin of a job that takt loads.
enum JobArrival {
  case reload
  /// takt starts. If it cannot read an existing ledger, past slots may have been decided.
  case start(isLedgerUnread: Bool)

  /// True if takt has not loaded the job before, as far as is known.
  var isFirst: Bool {
    switch self {
    case .reload: true
    case .start(let isLedgerUnread): !isLedgerUnread
    }
  }
}

/// A placement's memory from one event to the next. Only the placement reads it.
protocol PlacementMemory: AnyObject, Sendable {}
