import TaktCore

/// Carries batches to an engine, one at a time, on one thread, which it may block.
protocol BatchCarrier {
  /// Does a batch, or says why not, as soon after the deadline as it can at the latest.
  mutating func carry(_ batch: ClaimBatch, until deadline: ContinuousClock.Instant) -> ClaimOutcome
  /// There are no more batches.
  mutating func close()
  /// When it wants to be woken where no batch comes before; nil for never.
  var wakeAt: ContinuousClock.Instant? { mutating get }
  /// Does what is not for a batch, for a fraction of a second at most.
  mutating func wake()
}

extension BatchCarrier {
  var wakeAt: ContinuousClock.Instant? { nil }
  mutating func wake() {}
}
