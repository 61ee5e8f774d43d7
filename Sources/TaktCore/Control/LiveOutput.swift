/// The output of runs in progress.
///
/// Safe from any thread.
package protocol LiveOutput: Sendable {
  /// Follows a run: `take` gets the kept part of the output so far, at once, and then each new
  /// piece, on the thread that reads it, which it must not block.
  ///
  /// - Returns: A handle that ends it; nil if the run is not in progress.
  func follow(
    _ run: RunID, deliver: @escaping @Sendable (LiveOutputEvent) -> Void
  ) -> LiveOutputUse?

  func unfollow(_ use: LiveOutputUse)
}

package enum LiveOutputEvent: Hashable, Sendable {
  /// The output before the follower came.
  case before(KeptOutput)
  /// New output, secrets masked, with its time and stream.
  case bytes([UInt8], OutputMark)
  case end
}

package struct LiveOutputUse: Hashable, Sendable {
  package var run: RunID
  package var number: UInt64

  package init(run: RunID, number: UInt64) {
    self.run = run
    self.number = number
  }
}
