package import TaktTime

/// What the scheduler wants done. Effects are performed in their order.
package enum SchedulerEffect: Hashable, Sendable {
  /// Fire once between `deadline` and `deadline + leeway`, in place of any earlier arming.
  case arm(TimerKey, deadline: MonotonicInstant, leeway: Duration, token: UInt64)
  /// Cancel the timer; it may be forgotten.
  case disarm(TimerKey)
  /// Start an attempt.
  indirect case start(AttemptRequest)
  /// Send a run's process group a signal.
  case signal(RunID, StopSignal)
  /// Keep this; entries of one turn belong together.
  case record(LedgerEntry)
  /// Say `kept` when all that was recorded for this run is kept for certain.
  case awaitLedger(RunID)
  /// A slot's run starts: for whoever measures.
  case served(SlotStart)
  /// Write a record to the log.
  case log(LogRecord)
  /// Everything is over: the process may end.
  case finish
}
