/// What a crash of takt may do to a slot that has begun.
package enum Delivery: String, CaseIterable, Hashable, Sendable {
  /// The run is written down as it starts, and nobody waits for that. After a crash it is not
  /// repeated.
  case bestEffort = "best_effort"
  /// Nothing starts before the ledger has it for certain; without that within two seconds the slot
  /// is `skipped(ledger)`.
  case atMostOnce = "at_most_once"
  /// Started at once; a run that a crash has left without an end is run again.
  case atLeastOnce = "at_least_once"
}
