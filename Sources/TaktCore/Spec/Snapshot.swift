/// The contents of a set of jobs files, valid as a whole: takt runs it until the next reload.
package struct Snapshot: Sendable {
  package var settings: SchedulerSettings
  /// In the order of their files.
  package var jobs: [JobSpec]

  /// Jobs with names that differ from one another.
  package init(settings: SchedulerSettings = SchedulerSettings(), jobs: [JobSpec] = []) {
    self.settings = settings
    self.jobs = jobs
  }
}
