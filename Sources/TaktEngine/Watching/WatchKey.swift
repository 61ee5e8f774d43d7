/// One path that is watched on behalf of one job.
package struct WatchKey: Hashable, Sendable {
  /// The job that is told.
  package var job: String
  /// The file or folder; absolute. It need not be there. Its symbolic links are followed.
  package var path: String
  /// How long a change settles before the job is told, so that a burst of changes makes one call.
  ///
  /// Counted from the last change, but the job is told at the latest after ten times as long,
  /// counted from the first. Zero, or less, tells at once.
  package var debounce: Duration

  /// A path, watched for a job.
  package init(job: String, path: String, debounce: Duration) {
    self.job = job
    self.path = path
    self.debounce = debounce
  }
}
