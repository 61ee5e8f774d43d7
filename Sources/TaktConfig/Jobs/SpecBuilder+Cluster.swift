import TaktCore

/// Policies that the machines of a cluster share, and the requirements of keys for it.
extension SpecBuilder {
  /// Each machine has its own anchor, which cannot identify shared slots.
  static let fromEpoch = "intervals of shared jobs count from the epoch"

  private static let clusterKeys: [JobKey] = [.machines, .onPartition, .onLeaseLost]

  /// True if all machines share the slots of a job.
  func isShared(_ raw: RawJob, _ settled: JobDefaults) -> Bool {
    guard isInCluster else { return false }
    // Its mistakes have been reported.
    if let own = raw.fields[.machines], own.value == nil { return false }
    return settled.policies.machines != .each
  }

  /// Reports intervals of a shared job that each machine would count from a start of its own;
  /// returns true if there are none.
  func checkShared(_ raw: RawJob) -> Bool {
    guard let first = raw.fields[.first] else { return true }
    reporter.report(
      .conflictingKeys, at: first.keyMark,
      "'\(JobKey.first)' needs '\(JobKey.machines): each' with '\(Key.scheduler).\(Key.cluster)'",
      hint: "add it, or remove '\(JobKey.first)': \(Self.fromEpoch)", owner: raw.owner)
    return false
  }

  /// Reports keys that only a cluster needs, without a cluster.
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

  /// Reports policies of a shared job that contradict each other, and those without effect.
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

  /// Each machine would check for itself, without the results of the others.
  func checkCondition(_ settled: JobDefaults, of raw: RawJob) {
    guard isInCluster, settled.policies.onlyIf != nil, isShared(raw, settled) else { return }
    reporter.report(
      .conflictingKeys, at: raw.fields[.onlyIf]?.mark ?? raw.nameMark,
      "'\(JobKey.onlyIf)' needs '\(JobKey.machines): each' with '\(Key.scheduler).\(Key.cluster)'",
      hint: "each machine asks for itself: add it, or check in the command", owner: raw.owner)
  }
}
