/// A job's place in the scheduler's table: a small number, the same as long as the table knows the
/// job's name, and another name's after that.
package struct JobID: Hashable, Sendable {
  package let index: UInt32

  @inlinable package init(index: UInt32) { self.index = index }
}

/// Whose timer it is.
package enum TimerID: Hashable, Sendable {
  /// A job's next slot, or one that runs late.
  case job(JobID)
  /// The end of a job's suspension.
  case pause(JobID)
  /// A run's timeout, the grace of its stop, its back-off, or its wait for the ledger.
  case run(RunID)
  /// How long a run is expected to take.
  case expected(RunID)
  /// When a job has not succeeded for too long.
  case freshness(JobID)
  /// What a placement waits for: in a cluster the lease, and the turns of claims.
  case placement
  /// The grace of a stop of takt.
  case shutdown
}
