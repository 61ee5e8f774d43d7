package import TaktCore
package import TaktTime

/// A view of an engine's records of the slots of a cluster.
///
/// Blocks while it reads; for one thread.
package protocol ClaimHistory {
  /// The records of a job's slots after `start`.
  func slots(of job: JobName, after start: WallInstant) throws(ClaimHistoryFailure) -> EngineSlots
}

package struct ClaimHistoryFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
}
