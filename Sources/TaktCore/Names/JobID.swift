/// A job's place in the scheduler's table: a small number, the same while the table has the job's
/// name, and reused for another name after that.
package struct JobID: Hashable, Sendable {
  package let index: UInt32

  @inlinable package init(index: UInt32) { self.index = index }
}

/// The owner of a timer.
package enum TimerID: Hashable, Sendable {
  /// A job's next slot, or one that runs late.
  case job(JobID)
  /// The end of a job's suspension.
  case pause(JobID)
  /// A run's timeout, the grace of its stop, its back-off, or its wait for the ledger.
  case run(RunID)
  /// The end of a run's expected time.
  case expected(RunID)
  /// The end of the time within which a job should succeed.
  case freshness(JobID)
  /// A placement's timer: in a cluster, for the lease and the turns of claims.
  case placement
  /// The grace of a stop of takt.
  case shutdown
}
