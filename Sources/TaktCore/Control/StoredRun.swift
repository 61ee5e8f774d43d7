package import TaktTime

/// A run as the ledger has it.
package struct StoredRun: Hashable, Sendable {
  /// Its number.
  package var run: RunID
  /// Whose run it was.
  package var job: String
  /// Its slot, or the instant that it was asked for.
  package var slot: WallInstant
  /// What it was for: `slot`, `manual`, `hook`, `resumed`.
  package var kind: String
  /// Which hook it was.
  package var hook: String?
  /// The run that it was a hook of, or went on with.
  package var parent: RunID?
  /// When its first attempt started; nil for one that never did.
  package var beganAt: WallInstant?
  /// When it ended; nil while it has not.
  package var endedAt: WallInstant?
  /// How long it took from its first start; nil while it has not ended.
  package var duration: Duration?
  /// How many attempts it had.
  package var attempts: Int
  /// How it ended; nil while it has not.
  package var outcome: String?
  /// Why it ended so.
  package var reason: String?

  /// A run that was asked for, or began.
  package init(
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
