import TaktCore

/// What the machines of a cluster share, and what the keys for it need.
extension SpecBuilder {
  /// Each machine has an anchor of its own: it names no slots that they share.
  static let fromEpoch = "intervals of shared jobs count from the epoch"

  private static let clusterKeys: [JobKey] = [.machines, .onPartition, .onLeaseLost]

  /// Whether the slots of a job are those of all machines together.
  func isShared(_ raw: RawJob, _ settled: JobDefaults) -> Bool {
    guard isInCluster else { return false }
    // What is wrong in it has been reported.
    if let own = raw.fields[.machines], own.value == nil { return false }
    return settled.policies.machines != .each
  }

  /// Reports what counts the intervals of a shared job from something that each machine has for
  /// itself; whether there is nothing of the kind.
  func checkShared(_ raw: RawJob) -> Bool {
    guard let first = raw.fields[.first] else { return true }
    reporter.report(
      .conflictingKeys, at: first.keyMark,
      "'\(JobKey.first)' needs '\(JobKey.machines): each' with '\(Key.scheduler).\(Key.cluster)'",
      hint: "add it, or remove '\(JobKey.first)': \(Self.fromEpoch)", owner: raw.owner)
    return false
  }

  /// Reports keys that only a cluster needs where there is none.
  func checkClusterKeys(_ fields: KeyFields, owner: KeyOwner) {
    guard !isInCluster else { return }
    for key in Self.clusterKeys {
      guard let field = fields[key], field.value?.isNull == false else { continue }
      reporter.report(
        .conflictingKeys, severity: .warning, at: field.keyMark,
        "'\(key)' has no effect without '\(Key.scheduler).\(Key.cluster)'", hint: "remove it",
        owner: owner)
    }
  }

  /// Reports policies of a shared job that contradict each other, and those that do nothing.
  func checkClusterPolicies(_ settled: JobDefaults, of raw: RawJob) {
    guard isInCluster else { return }
    let policies = settled.policies
    if policies.machines == .each {
      for key in [JobKey.onPartition, .onLeaseLost] {
        guard let field = raw.fields[key], field.value?.isNull == false else { continue }
        reporter.report(
          .conflictingKeys, severity: .warning, at: field.keyMark,
          "'\(key)' has no effect with '\(JobKey.machines): each'", hint: "remove it",
          owner: raw.owner)
      }
      return
    }
    guard policies.delivery == .atMostOnce else { return }
    let own = raw.fields[.delivery]?.mark
    if policies.onPartition == .run {
      reporter.report(
        .suspicious, severity: .warning, at: raw.fields[.onPartition]?.mark ?? own ?? raw.nameMark,
        "'\(JobKey.onPartition): run' can start a slot on several machines, in spite of "
          + "'\(JobKey.delivery): at_most_once'",
        hint: "write \(JobKey.onPartition): wait", owner: raw.owner)
    }
    if policies.onLeaseLost == .finish {
      reporter.report(
        .suspicious, severity: .warning, at: raw.fields[.onLeaseLost]?.mark ?? own ?? raw.nameMark,
        "'\(JobKey.onLeaseLost): finish' lets a run continue after the other machines have recorded "
          + "it as interrupted, in spite of '\(JobKey.delivery): at_most_once'",
        hint: "write \(JobKey.onLeaseLost): stop", owner: raw.owner)
    }
  }

  /// Each machine would ask for itself, and none knows what the others have been told.
  func checkCondition(_ settled: JobDefaults, of raw: RawJob) {
    guard isInCluster, settled.policies.onlyIf != nil, isShared(raw, settled) else { return }
    reporter.report(
      .conflictingKeys, at: raw.fields[.onlyIf]?.mark ?? raw.nameMark,
      "'\(JobKey.onlyIf)' needs '\(JobKey.machines): each' with '\(Key.scheduler).\(Key.cluster)'",
      hint: "each machine asks for itself: add it, or check in the command", owner: raw.owner)
  }
}
