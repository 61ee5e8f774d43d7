/// The shared jobs that no machine of the cluster may run, and those already logged.
struct UnplacedJobs: Sendable {
  /// Each with the labels that no machine has.
  private(set) var labels: [JobID: [String: String]] = [:]
  /// Those already logged.
  private(set) var reported: [JobID: [String: String]] = [:]
  /// The labels of the machines that have a lease.
  private var machines: Set<[String: String]> = []
  /// The jobs have changed since they were examined.
  private var isStale = true

  mutating func noteJobsChanged() { isStale = true }

  /// The machines that have a lease have these labels. Returns true if the jobs must be examined,
  /// as something has changed.
  mutating func meet(_ machines: Set<[String: String]>) -> Bool {
    defer { (self.machines, isStale) = (machines, false) }
    return isStale || machines != self.machines
  }

  /// No machine may run these jobs. Returns the news: a machine that restarts is away for a short
  /// time, so that only labels that are missing twice in a row are reported.
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
