/// What a reload will do: the difference of two snapshots by meaning.
public struct ReloadPlan: Sendable {
  /// What happens to one job.
  public enum Change: String, CaseIterable, Hashable, Sendable {
    /// It says what it said; nothing of it is touched.
    case kept
    /// It has changed, but not when it is due: its timer is not touched.
    case updated
    /// When it is due has changed: its timer is armed anew.
    case rearmed
    /// It is new.
    case added
    /// It is gone.
    case removed
  }

  /// One job that is not kept.
  public struct Step: Hashable, Sendable {
    /// What happens to it.
    public var change: Change
    /// The job as it will be; of a removed one as it was.
    public var spec: JobSpec
    /// Which keys differ; empty for an added or removed job.
    public var details: [JobFacet.Difference]
  }

  /// What holds for the scheduler afterwards.
  public let settings: SchedulerSettings
  /// How many jobs are kept.
  public let keptCount: Int
  /// The others: removed ones first, then in the order of the new files.
  public let steps: [Step]

  /// What leads from one snapshot to the other.
  public init(from old: Snapshot, to new: Snapshot) {
    settings = new.settings
    var before = [JobName: JobSpec](minimumCapacity: old.jobs.count)
    for job in old.jobs { before[job.name] = job }
    var steps: [Step] = []
    var kept = 0
    for job in new.jobs {
      guard let was = before.removeValue(forKey: job.name) else {
        steps.append(Step(change: .added, spec: job, details: []))
        continue
      }
      if was == job {
        kept += 1
      } else {
        steps.append(
          Step(
            change: was.timing == job.timing ? .updated : .rearmed, spec: job,
            details: JobFacet.differences(from: was, to: job)))
      }
    }
    let removed = old.jobs.filter { before[$0.name] != nil }
    self.steps = removed.map { Step(change: .removed, spec: $0, details: []) } + steps
    keptCount = kept
  }

  /// How many jobs change in this way.
  public func count(of change: Change) -> Int {
    change == .kept ? keptCount : steps.count { $0.change == change }
  }

  /// Removed and added jobs that are alike but for their names, and so are probably one job with a
  /// new name; for takt it is another job, with an anchor and a history of its own.
  public var probableRenames: [(from: JobName, to: JobName)] {
    var added: [JobSpec: JobName] = [:]
    for step in steps where step.change == .added {
      added[step.spec.renamed(to: step.spec.name)] = step.spec.name
    }
    return steps.filter { $0.change == .removed }.compactMap { step in
      added.first { $0.key == step.spec.renamed(to: $0.value) }.map { (step.spec.name, $0.value) }
    }
  }
}

extension JobSpec {
  fileprivate func renamed(to name: JobName) -> JobSpec {
    var copy = self
    copy.name = name
    return copy
  }
}
