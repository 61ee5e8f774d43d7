/// What happens to a slot that comes due while a run of the same job is active.
package enum Overlap: String, CaseIterable, Hashable, Sendable {
  /// The slot is decided as `skipped(overlap)`.
  case skip
  /// The slot's run waits until the others have ended.
  case queue
  /// The others are stopped, and the slot's run starts when they have ended.
  case replace
  /// The slot's run starts beside the others.
  case allow
}
