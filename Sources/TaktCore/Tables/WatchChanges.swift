/// What has changed at the paths of jobs, until a run is told of it, and for as long as that run lasts.
struct WatchChanges: Sendable {
  private var jobs: [JobID: ChangedPaths] = [:]
  private var runs: [RunID: Shared<ChangedPaths>] = [:]

  /// Nothing is looked up while there is nothing, which is nearly always.
  private(set) var isEmpty = true

  mutating func add(_ paths: ChangedPaths, of job: JobID) {
    jobs[job, default: ChangedPaths()].add(paths)
    isEmpty = false
  }

  /// A run of the job is to be told.
  mutating func hand(_ job: JobID, to run: RunID) {
    guard let paths = jobs.removeValue(forKey: job) else { return }
    runs[run] = Shared(paths)
  }

  subscript(run: RunID) -> Shared<ChangedPaths>? { runs[run] }

  mutating func forget(_ run: RunID) {
    runs[run] = nil
    isEmpty = jobs.isEmpty && runs.isEmpty
  }

  mutating func forget(_ job: JobID) {
    jobs[job] = nil
    isEmpty = jobs.isEmpty && runs.isEmpty
  }
}
