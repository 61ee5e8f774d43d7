import TaktTime

/// Runs for slots whose time is past: they change no verdict, and no slot is skipped because of one.
extension SchedulerCore {
  /// Makes a run of a job for a slot of the past, unless there is one.
  ///
  /// - Parameters:
  ///   - isForced: whether it runs beside other runs of the job; else it waits until none is
  ///     active, and the job's slots wait for its end.
  ///   - isAgain: whether the slot runs once more if such a run has just succeeded.
  mutating func backfill(
    _ id: JobID, slot: WallInstant, _ parameters: RunParameters, isForced: Bool, isAgain: Bool,
    at now: Now
  ) -> SchedulerReply {
    guard slot <= now.wall else { return .future }
    // Runs with other parameters are other runs.
    if parameters == RunParameters() {
      let active = runs.active(of: id).all.first {
        runs[$0].isBackfill && runs[$0].nominal == slot && !runs[$0].hasParameters
      }
      if let run = active ?? (isAgain ? nil : backfilled.run(of: id, for: slot)) {
        return .done(runs: [run])
      }
    }
    guard runs.active(of: id).count < settings.maxRunning + Self.waitingRunsPerJobMax else {
      return .tooMany
    }
    queueRun(
      .backfill(slot), of: id, jobs[id].spec,
      with: parameters == RunParameters() ? nil : parameters, isForced: isForced, at: now)
    return .done(runs: [RunID(runs.lastRun)])
  }

  /// The runs of a job that have not ended, without those of a backfill.
  mutating func activeRuns(of id: JobID) -> [RunID] {
    runs.active(of: id).all.filter { !runs[$0].isBackfill }
  }
}
