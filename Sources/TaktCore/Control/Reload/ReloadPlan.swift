/// The difference of two snapshots by meaning, which a reload applies.
package struct ReloadPlan: Sendable {
  package enum Change: String, CaseIterable, Hashable, Sendable {
    /// Unchanged, and not touched.
    case kept
    /// Changed, except for its schedule: its timer is not touched.
    case updated
    /// The schedule has changed: the timer is armed again.
    case rearmed
    case added
    case removed
  }

  /// One job that is not kept.
  package struct Step: Hashable, Sendable {
    package var change: Change
    /// The new job; for a removed job, the old one.
    package var spec: JobSpec
    /// Keys that differ; empty for an added or removed job.
    package var details: [JobKey.Difference]
    /// Nil for an added or renamed job.
    package var previous: JobSpec?

    /// The values that differ under a key that logs do not show, secrets masked.
    package func hiddenChanges(of detail: JobKey.Difference) -> [HiddenValue.Change] {
      guard let previous, detail.from == nil, detail.to == nil else { return [] }
      return JobKey.hiddenChanges(of: detail.key, from: previous, to: spec)
    }
  }

  /// A removed and an added job that are equal but for their names.
  package struct Rename: Hashable, Sendable {
    package var from: JobName
    package var to: JobName
  }

  /// The snapshot after the reload. Jobs that are kept are the old specs, so that nothing is held
  /// twice.
  package let snapshot: Snapshot
  package var settings: SchedulerSettings { snapshot.settings }
  package let keptCount: Int
  /// The other jobs: removed ones first, then in the order of the new files.
  package let steps: [Step]

  /// Jobs that probably have a new name only; for takt they are other jobs, with an anchor and a
  /// history of their own.
  package let probableRenames: [Rename]

  package init(from old: Snapshot, to new: Snapshot) {
    var jobs = new.jobs
    var before = [JobName: JobSpec](minimumCapacity: old.jobs.count)
    for job in old.jobs { before[job.name] = job }
    var steps: [Step] = []
    var kept = 0
    var pool = SpecPool()
    for (place, job) in new.jobs.enumerated() {
      guard let was = before.removeValue(forKey: job.name) else {
        steps.append(Step(change: .added, spec: job, details: []))
        continue
      }
      if pool.areEqual(was, job) {
        kept += 1
        jobs[place] = was
      } else {
        steps.append(
          Step(
            change: was.timing == job.timing ? .updated : .rearmed, spec: job,
            details: JobKey.differences(from: was, to: job), previous: was))
      }
    }
    let removed = old.jobs.filter { before[$0.name] != nil }
    steps = removed.map { Step(change: .removed, spec: $0, details: []) } + steps
    self.steps = steps
    snapshot = Snapshot(settings: new.settings, jobs: jobs)
    probableRenames = Self.probableRenames(in: steps)
    keptCount = kept
  }
}

/// The common keys of two jobs that differ in their names only.
private struct SharedKeys: Hashable {
  var timing: Timing
  var action: Action
  var execution: Execution

  init(_ spec: JobSpec) {
    timing = spec.timing
    action = spec.action
    execution = spec.execution
  }
}

extension ReloadPlan {
  private static func probableRenames(in steps: [Step]) -> [Rename] {
    var added: [SharedKeys: JobName] = [:]
    for step in steps where step.change == .added { added[SharedKeys(step.spec)] = step.spec.name }
    return steps.filter { $0.change == .removed }.compactMap { step in
      added[SharedKeys(step.spec)].map { Rename(from: step.spec.name, to: $0) }
    }
  }
}
