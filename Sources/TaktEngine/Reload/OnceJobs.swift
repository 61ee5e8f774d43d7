package import TaktCore
package import TaktTime

/// The jobs that run once, beside those of the jobs file.
package struct OnceJobs: Sendable {
  struct Entry: Sendable {
    var job: OnceJob
    var spec: JobSpec
  }

  /// The most that there may be.
  static let countMax = 10_000

  /// In the order in which they were added.
  private(set) var entries: [Entry] = []

  package init() {}

  /// Those of a ledger. `onUnreadable` is told of those that this takt would refuse.
  package init(
    _ jobs: [OnceJob], from source: any SnapshotSource, onUnreadable: (OnceJob) -> Void
  ) {
    for job in jobs {
      if let spec = source.load(once: job).snapshot?.jobs.first {
        entries.append(Entry(job: job, spec: spec))
      } else {
        onUnreadable(job)
      }
    }
  }

  /// A set of jobs with these besides.
  package func added(to snapshot: Snapshot) -> Snapshot {
    if entries.isEmpty { return snapshot }
    var snapshot = snapshot
    let taken = Set(snapshot.jobs.map(\.name))
    snapshot.jobs += entries.lazy.map(\.spec).filter { !taken.contains($0.name) }
    return snapshot
  }

  /// Those whose names a set of jobs has too.
  func names(in snapshot: Snapshot) -> [JobName] {
    if entries.isEmpty { return [] }
    let own = Set(entries.map(\.job.name))
    return snapshot.jobs.map(\.name).filter(own.contains)
  }

  mutating func add(_ job: OnceJob, _ spec: JobSpec) {
    entries.append(Entry(job: job, spec: spec))
  }

  /// Removes one that is due after an instant; whether there was one.
  mutating func remove(_ name: JobName, dueAfter instant: WallInstant) -> Bool {
    let index = entries.firstIndex { $0.job.name == name && $0.job.at > instant }
    if let index { entries.remove(at: index) }
    return index != nil
  }

  /// Removes those that were due before an instant, and returns their names.
  package mutating func removeAll(dueBefore instant: WallInstant) -> [JobName] {
    let old = entries.filter { $0.job.at < instant }.map(\.job.name)
    if !old.isEmpty { entries.removeAll { $0.job.at < instant } }
    return old
  }
}
