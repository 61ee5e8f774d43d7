import TaktTime

/// A job's schedule, and from where on it applies.
package struct ScheduleVersion: Hashable, Sendable {
  /// Whose schedule.
  package var job: JobName
  /// When the job is due.
  package var schedule: Schedule
  /// False: slots that pass are `skipped(suspended)`.
  package var isEnabled: Bool
  /// Where the grid of `every` begins.
  package var anchor: Int64
  /// All slots up to here belong to what was before.
  package var from: ScheduleEdge
  /// Single instants of `at` count from here on; nil for all of them, as when takt hears of the job
  /// for the first time.
  package var instantsFrom: Int64?

  /// A schedule from an edge on.
  package init(
    job: JobName, schedule: Schedule, isEnabled: Bool, anchor: Int64, from: ScheduleEdge,
    instantsFrom: Int64?
  ) {
    self.job = job
    self.schedule = schedule
    self.isEnabled = isEnabled
    self.anchor = anchor
    self.from = from
    self.instantsFrom = instantsFrom
  }
}
