package import TaktCore

/// A driver of an engine outside this process.
package protocol ClaimDriver: ClaimEngine {
  /// Fails all unanswered batches. Waits for nothing.
  func close()
}

extension ClaimDriver {
  /// The time for a batch that leaves renewals a second chance within the lease.
  package static func deadline(for lease: Duration) -> Duration { min(lease / 3, .seconds(5)) }
}
