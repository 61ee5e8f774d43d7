package import TaktTime

/// What somebody who steers takt wants of the scheduler.
package enum SchedulerCommand: Hashable, Sendable {
  /// A run of this job now, told this instant, by default the present one, with these parameters.
  /// The job's `overlap` decides what becomes of it beside other runs of the job, unless it is
  /// forced: then it runs beside them.
  case trigger(
    JobName, slot: WallInstant? = nil, parameters: RunParameters = RunParameters(),
    isForced: Bool = false)
  /// A run of this job for a slot of the past, which changes no verdict; forced, it runs beside
  /// others. Where such a run of the slot is active, or has just succeeded, it is that one; `isAgain`
  /// is for one more of a slot that has succeeded.
  case backfill(
    JobName, slot: WallInstant, parameters: RunParameters = RunParameters(), isForced: Bool = false,
    isAgain: Bool = false)
  /// Put a job to rest; nil for as long as nobody resumes it.
  case suspend(JobName, until: WallInstant?, reason: String)
  case resume(JobName)
  /// Cancel all runs of a job that have not ended.
  case cancelJob(JobName)
  case cancelRun(RunID)
  /// Start no new runs, and end when those under way have ended, or stay.
  case drain(stays: Bool)
  /// Start runs again.
  case endDrain
}

/// takt starts no runs because somebody wants so.
package struct Drain: Hashable, Sendable {
  package var since: WallInstant
  /// Whether takt stays when nothing is under way any more.
  package var stays: Bool
  /// Whether nothing is under way any more.
  package var isDone = false
}

/// What became of a command.
package enum SchedulerReply: Hashable, Sendable {
  /// It was done; of a trigger the run, of a cancellation the runs that are cancelled.
  case done(runs: [RunID] = [])
  case unknownJob
  /// No run of this number is in progress or waits.
  case unknownRun
  case notSuspended
  /// The rest would be over before it begins.
  case past
  /// The slot is to come.
  case future
  /// Too many runs of the job wait already.
  case tooMany
  /// The job's `overlap` is `skip`, and this run of it has not ended.
  case overlapping(RunID)
  /// Somebody drains takt, which starts no runs then.
  case draining
  case notDraining
  /// takt has not started yet, or is stopping.
  case unavailable
}

/// Who measures how punctual slots are.
///
/// Called on the scheduler's queue, which it is not to keep.
package protocol SlotGauge: AnyObject, Sendable {
  func served(_ start: SlotStart)
}

/// A slot's run starts.
package struct SlotStart: Hashable, Sendable {
  package var job: JobName
  package var run: RunID
  /// How long after it was due.
  package var lateness: Duration
  /// How much of that the job allows.
  package var window: Duration
  package var qos: QoS
}
