/// All that a set of jobs files says, valid as a whole: what takt runs until the next reload.
package struct Snapshot: Sendable {
  package var settings: SchedulerSettings
  /// The jobs in the order of their files.
  package var jobs: [JobSpec]

  /// Jobs with names that differ from one another.
  package init(settings: SchedulerSettings = SchedulerSettings(), jobs: [JobSpec] = []) {
    self.settings = settings
    self.jobs = jobs
  }
}
