/// What a hook is told about the run that it is for.
package struct RunFacts: Hashable, Sendable {
  package var hook: HookKind
  /// The run that it is for; number 0 for a hook that is for none, such as `on_stale`.
  package var run: RunID
  package var attempts: Int
  /// How the run ended; nil while it goes on.
  package var end: RunEnd?
  /// How long it has taken so far.
  package var duration: Duration
  /// How long after its due instant it started.
  package var lateness: Duration
  /// How many runs of the job in a row have failed, this one among them.
  package var failureStreak: Int
  /// What is kept of what the last attempt printed.
  package var output: KeptOutput
  /// Whether the hook is the job's `ping`, and not its own actions.
  package var isPing = false
  /// Of `on_alarm_failed`, what has failed: a hook such as `on_failure`, or `ping`.
  package var failedHook: String?
  /// What its processes have used so far, all attempts together; nil where there were none.
  package var use: ResourceUse?

  /// The run that it is for; nil for none.
  package var ofRun: RunID? { run.number > 0 ? run : nil }
}
