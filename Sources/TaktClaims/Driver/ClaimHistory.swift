package import TaktCore
package import TaktTime

/// What an engine knows of the slots of a cluster, to be looked at.
///
/// Blocks while it reads; for one thread.
package protocol ClaimHistory {
  /// All that is known of a job's slots after this one.
  func slots(of job: JobName, after start: WallInstant) throws(ClaimHistoryFailure) -> EngineSlots
}

/// Why it cannot be read, in words.
package struct ClaimHistoryFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
}
