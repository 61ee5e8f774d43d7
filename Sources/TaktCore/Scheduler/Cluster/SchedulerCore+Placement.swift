import TaktTime

/// Shared jobs with labels that no machine of the cluster has: they run nowhere.
extension SchedulerCore {
  /// Called once the engine has listed the machines.
  mutating func checkPlacement(at now: Now) {
    let machines = Set(cluster.news.members.filter(\.isAlive).map(\.facts.labels))
    let isChanged = cluster.unplaced.meet(machines)
    let found = isChanged ? unplacedJobs(with: machines) : cluster.unplaced.labels
    let news = cluster.unplaced.update(found)
    logPlacement(news.missing, isMissing: true, at: now)
    let placed = news.resolved.filter { id, labels in
      jobs.isPresent(id) && jobs[id].spec.machines == .labelled(labels)
        && jobs[id].spec.timing.isEnabled
    }
    logPlacement(placed, isMissing: false, at: now)
  }

  private mutating func unplacedJobs(with machines: Set<[String: String]>) -> [JobID:
    [String: String]]
  {
    var unplaced: [JobID: [String: String]] = [:]
    // This machine has joined, whatever the list says.
    let machines = machines.union([cluster.membership.facts.labels])
    for id in Array(jobs.present) {
      let spec = jobs[id].spec
      guard case .labelled(let labels) = spec.machines, spec.timing.isEnabled, isShared(spec),
        !machines.contains(where: spec.machines.includes)
      else { continue }
      unplaced[id] = labels
    }
    return unplaced
  }

  /// A line for each set of labels.
  private mutating func logPlacement(
    _ found: [JobID: [String: String]], isMissing: Bool, at now: Now
  ) {
    for unplaced in unplacedViews(found) {
      let only = unplaced.jobs.count == 1 ? jobs.id(of: unplaced.jobs[0]) : nil
      logCluster(
        isMissing ? .warning : .notice,
        isMissing
          ? unplaced.words + "; " + ClusterView.words(of: cluster.news.members)
          : "resolved: a machine of the cluster has the labels \(unplaced.labelWords); "
            + "\(unplaced.jobWords) \(unplaced.jobs.count == 1 ? "runs" : "run") again",
        of: only, at: now)
    }
  }

  /// True if no machine may run the job, as of the engine's last answer and the present jobs file.
  func isUnplaced(_ id: JobID) -> Bool { isUnplaced(id, cluster.unplaced.labels[id]) }

  /// A reload may have changed the job since.
  private func isUnplaced(_ id: JobID, _ labels: [String: String]?) -> Bool {
    labels.map { jobs.state(of: id)?.spec.machines == .labelled($0) } ?? false
  }

  /// The reason why a slot of a job that this machine may not run passes without a run here. A
  /// machine that restarts is away for a short time, so that only lasting absences count; and
  /// without a lease the engine's last answer is old: a machine may have come since.
  func reasonElsewhere(of id: JobID, at now: Now) -> SkipReason {
    let isKnown = cluster.membership.hasLease(at: now.monotonic)
    return isKnown && isUnplaced(id, cluster.unplaced.reported[id]) ? .unplaced : .elsewhere
  }

  /// By their labels, and the jobs by name.
  func unplacedViews(_ found: [JobID: [String: String]]) -> [ClusterView.Unplaced] {
    Dictionary(grouping: found.keys.filter { isUnplaced($0, found[$0]) }) { found[$0] ?? [:] }
      .map { labels, ids in
        ClusterView.Unplaced(labels: labels, jobs: ids.map { jobs.name(of: $0) }.sorted())
      }
      .sorted { $0.labelWords < $1.labelWords }
  }
}
