package import TaktTime

/// What can happen to the scheduler. The time comes with the event.
package enum SchedulerEvent: Sendable {
  /// takt starts with this set of jobs, where a previous one has left off.
  indirect case started(Snapshot, after: PreviousState = PreviousState())
  /// A new set of jobs is valid; the plan leads to it from the present one.
  indirect case reloaded(ReloadPlan)
  /// The timer of this key has fired; `token` is the one it was armed with.
  case timerFired(TimerID, token: UInt64)
  /// Somebody wants this, and does not wait for what becomes of it.
  indirect case commanded(SchedulerCommand)
  /// The process or work of an attempt's action has ended, or could not be started.
  case actionEnded(RunID, AttemptReport)
  /// Nothing is left of an attempt's process group.
  case groupEnded(RunID, GroupReport = GroupReport())
  /// All that was recorded for this run is kept for certain.
  case kept(RunID)
  /// What has come of a batch for the cluster's engine.
  indirect case claims(ClaimOutcome)
  /// The ledger was lost: all that applies now is recorded again.
  case ledgerRenewed
  /// Somebody has set the wall clock, or the machine has slept for so long.
  case clockStepped(slept: Duration)
  /// Files have changed that a job waits for.
  indirect case changed(JobName, PathWatch, paths: ChangedPaths = ChangedPaths())
  /// Somebody wants the state of all jobs in the log.
  case dumpStatus
  /// Somebody wants takt to stop; a second time: without waiting; a third time: at once.
  case stop
}

/// What the scheduler wants done. Effects are performed in their order.
package enum SchedulerEffect: Hashable, Sendable {
  /// Fire once between `deadline`, which people call `due`, and `deadline + leeway`, in place of any
  /// earlier arming.
  case arm(
    TimerID, deadline: MonotonicInstant, due: WallInstant, leeway: Duration, token: UInt64)
  /// Fire no more, until it is armed again.
  case holdTimer(JobID, TimerHoldReason)
  /// Cancel the timer; it may be forgotten.
  case disarm(TimerID)
  case start(AttemptRequest)
  /// Send a run's process group a signal.
  case signal(RunID, StopSignal)
  /// Keep this; entries of one turn belong together.
  case record(LedgerEntry)
  /// Say `kept` when all that was recorded for this run is kept for certain.
  case awaitLedger(RunID)
  /// Hand this to the cluster's engine, and say `claims` when it has answered or failed.
  indirect case claims(ClaimBatch)
  /// What runs under a claim must be over so long after that batch was handed over, unless this is
  /// said again.
  case leased(batch: UInt64, for: Duration)
  /// A slot's run starts: for whoever measures.
  case served(SlotStart)
  case log(LogRecord)
  /// Everything is over: the process may end.
  case finish
}
