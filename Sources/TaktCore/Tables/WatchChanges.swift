/// Changes at the paths of jobs, until a run gets them, and for as long as that run lasts.
struct WatchChanges: Sendable {
  private var jobs: [JobID: ChangedPaths] = [:]
  private var runs: [RunID: Shared<ChangedPaths>] = [:]

  /// Nearly always true; then nothing is looked up.
  private(set) var isEmpty = true

  mutating func add(_ paths: ChangedPaths, of job: JobID) {
    jobs[job, default: ChangedPaths()].add(paths)
    isEmpty = false
  }

  /// Passes a job's changes to a run.
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
