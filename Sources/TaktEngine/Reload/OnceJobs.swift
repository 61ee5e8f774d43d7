package import TaktCore
package import TaktTime

/// The jobs that run once, besides those of the jobs file.
package struct OnceJobs: Sendable {
  struct Entry: Sendable {
    var job: OnceJob
    var spec: JobSpec
  }

  static let countMax = 10_000

  /// In the order in which they were added.
  private(set) var entries: [Entry] = []

  /// True once a search for old ones is scheduled.
  var isWaiting = false

  package init() {}

  /// The jobs in a ledger. `onUnreadable` gets those that this version would refuse.
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

  package func added(to snapshot: Snapshot) -> Snapshot {
    if entries.isEmpty { return snapshot }
    var snapshot = snapshot
    let taken = Set(snapshot.jobs.map(\.name))
    snapshot.jobs += entries.lazy.map(\.spec).filter { !taken.contains($0.name) }
    return snapshot
  }

  /// Those that are due after an instant, and whose names a set of jobs has too.
  func names(in snapshot: Snapshot, dueAfter instant: WallInstant) -> [JobName] {
    if entries.isEmpty { return [] }
    let own = Set(entries.lazy.filter { $0.job.at > instant }.map(\.job.name))
    return snapshot.jobs.map(\.name).filter(own.contains)
  }

  /// The change of one whose name a jobs file has.
  package enum NameChange: Sendable {
    /// It runs at its time, under another name.
    case renamed(from: JobName, OnceJob)
    /// Its time is over.
    case removed(JobName)
  }

  /// Leaves names in a jobs file to the file's jobs: a job that is still to run gets another name,
  /// so that its command is not lost.
  package mutating func giveWay(
    to snapshot: Snapshot, at now: WallInstant, from source: any SnapshotSource
  ) -> [NameChange] {
    if entries.isEmpty { return [] }
    var taken = Set(snapshot.jobs.map(\.name))
    let own = entries.map(\.job.name)
    guard own.contains(where: taken.contains) else { return [] }
    let inFile = taken
    taken.formUnion(own)
    var changes: [NameChange] = []
    entries = entries.compactMap { entry in
      var job = entry.job
      guard inFile.contains(job.name) else { return entry }
      if job.at > now, let name = job.name.free(among: taken) {
        job.name = name
        if let spec = source.load(once: job).snapshot?.jobs.first {
          taken.insert(name)
          changes.append(.renamed(from: entry.job.name, job))
          return Entry(job: job, spec: spec)
        }
      }
      changes.append(.removed(entry.job.name))
      return nil
    }
    return changes
  }

  /// True if a search for old ones has to be scheduled: there are any, and none is scheduled.
  mutating func beginWaiting() -> Bool {
    defer { isWaiting = isWaiting || !entries.isEmpty }
    return !isWaiting && !entries.isEmpty
  }

  mutating func add(_ job: OnceJob, _ spec: JobSpec) {
    entries.append(Entry(job: job, spec: spec))
  }

  /// True if there is one whose time is over.
  func has(_ name: JobName, dueBefore instant: WallInstant) -> Bool {
    entries.contains { $0.job.name == name && $0.job.at <= instant }
  }

  /// Removes those whose names a set of jobs has, and returns the names.
  mutating func removeAll(takenBy snapshot: Snapshot) -> [JobName] {
    if entries.isEmpty { return [] }
    let taken = Set(snapshot.jobs.map(\.name))
    let names = entries.map(\.job.name).filter(taken.contains)
    entries.removeAll { taken.contains($0.job.name) }
    return names
  }

  mutating func remove(_ name: JobName) { entries.removeAll { $0.job.name == name } }

  /// Removes one that is due after an instant; true if there was one.
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

extension JobName {
  /// The name itself, or with the first number that makes it unique.
  func free(among taken: Set<JobName>) -> JobName? {
    (1...taken.count + 1).lazy.compactMap { number in
      number == 1 ? self : JobName("\(text)-\(number)")
    }.first { !taken.contains($0) }
  }
}
