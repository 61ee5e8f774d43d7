package import TaktTime

package enum SchedulerCommand: Hashable, Sendable {
  /// A run of this job now, with this instant, by default the present one, and these parameters.
  /// The job's `overlap` decides about it if other runs of the job are active, unless it is forced:
  /// then it runs at the same time.
  case trigger(
    JobName, slot: WallInstant? = nil, parameters: RunParameters = RunParameters(),
    isForced: Bool = false)
  /// A run of this job for a slot of the past, which changes no verdict; a forced one runs at the
  /// same time as others. If such a run of the slot is active, or has just succeeded, the reply
  /// names that one; `isAgain` is for one more run of a slot that has succeeded.
  case backfill(
    JobName, slot: WallInstant, parameters: RunParameters = RunParameters(), isForced: Bool = false,
    isAgain: Bool = false)
  /// Suspends a job; nil until it is resumed.
  case suspend(JobName, until: WallInstant?, reason: String)
  case resume(JobName)
  /// Cancels all runs of a job that have not ended.
  case cancelJob(JobName)
  case cancelRun(RunID)
  /// Starts no new runs; takt ends when those in progress have ended, or stays.
  case drain(stays: Bool)
  case endDrain
}

/// An operator has stopped takt from starting runs.
package struct Drain: Hashable, Sendable {
  package var since: WallInstant
  /// True if takt stays when no run is in progress any more.
  package var stays: Bool
  /// True once no run is in progress.
  package var isDone = false
}

package enum SchedulerReply: Hashable, Sendable {
  /// Done; names the run of a trigger, or the runs of a cancellation.
  case done(runs: [RunID] = [])
  case unknownJob
  /// No run of this number is in progress or waits.
  case unknownRun
  case notSuspended
  /// The suspension would be over before it starts.
  case past
  case future
  /// Too many runs of the job wait already.
  case tooMany
  /// The job's `overlap` is `skip`, and this run of it has not ended.
  case overlapping(RunID)
  /// takt is drained and starts no runs.
  case draining
  case notDraining
  /// takt has not started yet, or is stopping.
  case unavailable
}

/// Measures the punctuality of slots.
///
/// Called on the scheduler's queue, which it must not block.
package protocol SlotGauge: AnyObject, Sendable {
  func served(_ start: SlotStart)
}

package struct SlotStart: Hashable, Sendable {
  package var job: JobName
  package var run: RunID
  /// The time since it was due.
  package var lateness: Duration
  /// The part of that which the job allows.
  package var window: Duration
  package var qos: QoS
}
