import TaktCore

/// Carries batches to an engine, one at a time, on one thread, which it may block.
protocol BatchCarrier {
  /// Performs a batch, or returns the reason why not, as soon after the deadline as it can at the
  /// latest.
  mutating func carry(_ batch: ClaimBatch, until deadline: ContinuousClock.Instant) -> ClaimOutcome
  /// Called after the last batch.
  mutating func close()
  /// The time for `wake` if no batch comes before; nil for none.
  var wakeAt: ContinuousClock.Instant? { mutating get }
  /// Work that belongs to no batch. Takes a fraction of a second at most.
  mutating func wake()
}

extension BatchCarrier {
  var wakeAt: ContinuousClock.Instant? { nil }
  mutating func wake() {}
}
