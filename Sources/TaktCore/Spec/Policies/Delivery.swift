/// The effect that a crash of takt may have on a slot that has started.
package enum Delivery: String, CaseIterable, Hashable, Sendable {
  /// The run is recorded as it starts, without waiting. After a crash it is not repeated.
  case bestEffort = "best_effort"
  /// Nothing starts before the ledger has it for certain; without that within two seconds the slot
  /// is `skipped(ledger)`.
  case atMostOnce = "at_most_once"
  /// Started at once; a run that a crash has left without an end is run again.
  case atLeastOnce = "at_least_once"
}
