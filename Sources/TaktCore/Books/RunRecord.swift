/// A run that has ended, as the books have it.
public struct RunRecord: Hashable, Sendable {
  /// The run.
  public var run: RunID
  /// Whose run it was.
  public var job: JobName
  /// Its slot, or the instant that it was asked for.
  public var slot: WallInstant
  /// Which hook it was; nil for a run of the job itself.
  public var hook: HookKind?
  /// How many attempts it had; 0 when it never started.
  public var attempts: Int
  /// How it ended.
  public var end: RunEnd
  /// When it ended.
  public var endedAt: WallInstant
  /// How long it took from its first start; zero when it never started.
  public var duration: Duration
  /// What is kept of what its last attempt printed; nothing where that is in the ledger already.
  public var output: KeptOutput
  /// Where a takt to come goes on with it; nil (the default) for a run that is over for good.
  public var retry: RetryPosition?

  /// A run that has ended.
  public init(
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
