/// What the scheduler wants done. Effects are performed in their order.
public enum SchedulerEffect: Hashable, Sendable {
  /// Fire once between `deadline` and `deadline + leeway`, in place of any earlier arming.
  case arm(TimerKey, deadline: MonotonicInstant, leeway: Duration, token: UInt64)
  /// Cancel the timer; it may be forgotten.
  case disarm(TimerKey)
  /// Start an attempt.
  case start(AttemptRequest)
  /// Send a run's process group a signal.
  case signal(RunID, StopSignal)
  /// Keep a verdict.
  case record(VerdictRecord)
  /// Keep a run that has ended.
  case recordRun(RunRecord)
  /// Write a record to the log.
  case log(LogRecord)
  /// Everything is over: the process may end.
  case finish
}
