import TaktTime

/// Shared jobs with labels that no machine of the cluster has: they run nowhere.
extension SchedulerCore {
  /// To be called when the engine has said which machines there are.
  mutating func checkPlacement(at now: Now) {
    let machines = Set(cluster.news.members.filter(\.isAlive).map(\.facts.labels))
    let before = cluster.placement.unplaced
    if cluster.placement.isStale || machines != cluster.placement.machines {
      cluster.placement.isStale = false
      cluster.placement.machines = machines
      cluster.placement.unplaced = unplacedJobs(with: machines)
    }
    let unplaced = cluster.placement.unplaced
    guard !unplaced.isEmpty || !cluster.placement.reported.isEmpty else { return }
    // A machine that restarts is away for a moment, so that only what lasts is reported.
    let lasting = unplaced.filter {
      before[$0.key] == $0.value && cluster.placement.reported[$0.key] != $0.value
    }
    logPlacement(lasting, isMissing: true, at: now)
    let placed = cluster.placement.reported.filter { id, labels in
      unplaced[id] == nil && jobs.isPresent(id) && jobs[id].spec.machines == .labelled(labels)
        && jobs[id].spec.timing.isEnabled
    }
    logPlacement(placed, isMissing: false, at: now)
    cluster.placement.reported = cluster.placement.reported.filter { unplaced[$0.key] == $0.value }
      .merging(lasting) { $1 }
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

  /// By their labels, and the jobs by name.
  func unplacedViews(_ found: [JobID: [String: String]]) -> [ClusterView.Unplaced] {
    Dictionary(
      grouping: found.keys.filter { id in
        // A reload may have changed it since the engine's last answer.
        found[id].map { jobs.state(of: id)?.spec.machines == .labelled($0) } ?? false
      }
    ) { found[$0] ?? [:] }
    .map { labels, ids in
      ClusterView.Unplaced(labels: labels, jobs: ids.map { jobs.name(of: $0) }.sorted())
    }
    .sorted { $0.labelWords < $1.labelWords }
  }
}
