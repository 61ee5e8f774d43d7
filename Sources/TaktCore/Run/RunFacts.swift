/// The facts that a hook gets about its run.
package struct RunFacts: Hashable, Sendable {
  package var hook: HookKind
  /// The run that it is for; number 0 for a hook without one, such as `on_stale`.
  package var run: RunID
  package var attempts: Int
  /// Nil while the run continues.
  package var end: RunEnd?
  /// The time since its start.
  package var duration: Duration
  /// The delay of its start after its due time.
  package var lateness: Duration
  /// The failed runs of the job in a row, this one included.
  package var failureStreak: Int
  /// The kept output of the last attempt.
  package var output: KeptOutput
  /// True if the hook is the job's `ping`, and not its own actions.
  package var isPing = false
  /// For `on_alarm_failed`, the failed hook such as `on_failure`, or `ping`.
  package var failedHook: String?
  /// The resource use so far, all attempts together; nil if there were no processes.
  package var use: ResourceUse?

  package var ofRun: RunID? { run.number > 0 ? run : nil }
}
