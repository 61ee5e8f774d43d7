import TaktCore

/// Carries batches to an engine, one at a time, on one thread, which it may block.
protocol BatchCarrier {
  /// Does a batch, or says why not, as soon after the deadline as it can at the latest.
  mutating func carry(_ batch: ClaimBatch, until deadline: ContinuousClock.Instant) -> ClaimOutcome
  /// There are no more batches.
  mutating func close()
}
