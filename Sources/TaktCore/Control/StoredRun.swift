/// A run as the ledger has it.
public struct StoredRun: Hashable, Sendable {
  /// Its number.
  public var run: RunID
  /// Whose run it was.
  public var job: String
  /// Its slot, or the instant that it was asked for.
  public var slot: WallInstant
  /// What it was for: `slot`, `manual`, `hook`, `resumed`.
  public var kind: String
  /// Which hook it was.
  public var hook: String?
  /// The run that it was a hook of, or went on with.
  public var parent: RunID?
  /// When its first attempt started; nil for one that never did.
  public var beganAt: WallInstant?
  /// When it ended; nil while it has not.
  public var endedAt: WallInstant?
  /// How long it took from its first start; nil while it has not ended.
  public var duration: Duration?
  /// How many attempts it had.
  public var attempts: Int
  /// How it ended; nil while it has not.
  public var outcome: String?
  /// Why it ended so.
  public var reason: String?

  /// A run that was asked for, or began.
  public init(
    run: RunID, job: String, slot: WallInstant, kind: String, hook: String? = nil,
    parent: RunID? = nil, beganAt: WallInstant? = nil, endedAt: WallInstant? = nil,
    duration: Duration? = nil, attempts: Int = 0, outcome: String? = nil, reason: String? = nil
  ) {
    self.run = run
    self.job = job
    self.slot = slot
    self.kind = kind
    self.hook = hook
    self.parent = parent
    self.beganAt = beganAt
    self.endedAt = endedAt
    self.duration = duration
    self.attempts = attempts
    self.outcome = outcome
    self.reason = reason
  }
}
