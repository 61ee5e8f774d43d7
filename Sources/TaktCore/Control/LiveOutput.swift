/// What runs print while they run.
///
/// Safe from any thread.
package protocol LiveOutput: Sendable {
  /// Follows a run: `take` gets what is kept of what it has printed so far, at once, and then what
  /// comes, on the thread that reads it, which it is not to block.
  ///
  /// - Returns: What ends it; nil when the run is not in progress.
  func follow(
    _ run: RunID, deliver: @escaping @Sendable (LiveOutputEvent) -> Void
  ) -> LiveOutputUse?

  func unfollow(_ use: LiveOutputUse)
}

/// What a follower is told.
package enum LiveOutputEvent: Hashable, Sendable {
  /// What was printed before.
  case before(KeptOutput)
  /// What comes now, secrets masked; when, and from which stream.
  case bytes([UInt8], OutputMark)
  case end
}

/// A follower's place.
package struct LiveOutputUse: Hashable, Sendable {
  package var run: RunID
  /// Which follower it is.
  package var number: UInt64

  package init(run: RunID, number: UInt64) {
    self.run = run
    self.number = number
  }
}
