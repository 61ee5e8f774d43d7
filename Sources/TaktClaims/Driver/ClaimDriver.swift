package import TaktCore

/// A driver of an engine outside this process.
package protocol ClaimDriver: ClaimEngine {
  /// What is not answered fails. Waits for nothing.
  func close()
}

extension ClaimDriver {
  /// How long a batch may take where renewals are to have a second chance within the lease.
  package static func deadline(for lease: Duration) -> Duration { min(lease / 3, .seconds(5)) }
}
