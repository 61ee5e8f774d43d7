/// Which shared jobs no machine of the cluster may run, and what the log has of that.
struct UnplacedJobs: Sendable {
  /// Each with the labels that no machine has.
  private(set) var labels: [JobID: [String: String]] = [:]
  /// Those of them that the log has.
  private(set) var reported: [JobID: [String: String]] = [:]
  /// The labels of the machines that have a lease.
  private var machines: Set<[String: String]> = []
  /// What the jobs say has changed since they were looked through.
  private var isStale = true

  /// A job has come, changed or gone.
  mutating func noteJobsChanged() { isStale = true }

  /// The machines that have a lease have these labels. Returns whether the jobs are to be looked
  /// through, as something has changed.
  mutating func meet(_ machines: Set<[String: String]>) -> Bool {
    defer { (self.machines, isStale) = (machines, false) }
    return isStale || machines != self.machines
  }

  /// No machine may run these jobs. Returns what is news: a machine that restarts is away for a
  /// moment, so that only what lasts from one time to the next is reported as missing.
  mutating func update(
    _ found: [JobID: [String: String]]
  ) -> (missing: [JobID: [String: String]], resolved: [JobID: [String: String]]) {
    let missing = found.filter { labels[$0.key] == $0.value && reported[$0.key] != $0.value }
    let resolved = reported.filter { found[$0.key] == nil }
    reported = reported.filter { found[$0.key] == $0.value }.merging(missing) { $1 }
    labels = found
    return (missing, resolved)
  }
}
