package import TaktTime

/// A run that has ended, as the books have it.
package struct RunRecord: Hashable, Sendable {
  /// The run.
  package var run: RunID
  /// Whose run it was.
  package var job: JobName
  /// Its slot, or the instant that it was asked for.
  package var slot: WallInstant
  /// Which hook it was; nil for a run of the job itself.
  package var hook: HookKind?
  /// How many attempts it had; 0 when it never started.
  package var attempts: Int
  /// How it ended.
  package var end: RunEnd
  /// When it ended.
  package var endedAt: WallInstant
  /// How long it took from its first start; zero when it never started.
  package var duration: Duration
  /// What is kept of what its last attempt printed; nothing where that is in the ledger already.
  package var output: KeptOutput
  /// Where a takt to come goes on with it; nil (the default) for a run that is over for good.
  package var retry: RetryPosition?

  /// A run that has ended.
  package init(
    run: RunID, job: JobName, slot: WallInstant, hook: HookKind?, attempts: Int, end: RunEnd,
    endedAt: WallInstant, duration: Duration, output: KeptOutput
  ) {
    self.run = run
    self.job = job
    self.slot = slot
    self.hook = hook
    self.attempts = attempts
    self.end = end
    self.endedAt = endedAt
    self.duration = duration
    self.output = output
  }
}
