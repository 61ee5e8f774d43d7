import TaktTime

/// No retries for jobs that no retry has ever helped.
struct RetryAdvice: AdviceRule {
  static let name = "retry"
  private static let retriedMin = 10

  func proposals(for input: AdviceInput) -> [Proposal] {
    input.experienced(Self.retriedMin).compactMap { spec, history -> Proposal? in
      guard spec.execution.retry.attempts > 1, history.retried >= Self.retriedMin,
        history.rescued == 0
      else { return nil }
      return proposal(
        spec.name,
        "\(history.retried) of \(history.count) runs were tried again, and none of them succeeded.",
        "a run that fails ends after its first attempt", .init(.retry, "{attempts: 1}"))
    }
  }
}

/// A limit on memory for jobs that need much and have none, or have needed more than theirs.
struct MemoryAdvice: AdviceRule {
  static let name = "memory"
  /// Less than this harms no machine.
  private static let bytesMin: Int64 = 64 << 20

  func proposals(for input: AdviceInput) -> [Proposal] {
    input.experienced().compactMap { spec, history -> Proposal? in
      let limits = spec.execution.limits
      guard let most = history.memoryMax else { return nil }
      let unit: Int64 = 64 << 20
      let text = SizeText.format(Int((most * 2 + unit - 1) / unit * unit))
      var change = Proposal.Change(.limits, "memory_max", text)
      let seen =
        "the most that any of \(history.measured) runs used is \(SizeText.brief(most))"
      if let limit = limits.group.memoryMaxBytes {
        guard limit < most else { return nil }
        return proposal(
          spec.name, "Its 'memory_max' is \(SizeText.format(limit)); \(seen).",
          "a run that needs as much again can end by itself", change)
      }
      guard limits.memoryBytes == nil, most >= Self.bytesMin else { return nil }
      // Limits of a group that the file has already are available, or need not be.
      if limits.group.isEmpty, !limits.group.isOptional {
        change.others = [.init(key: "enforce", value: "if_possible")]
      }
      return proposal(
        spec.name, "It has no limit on memory; \(seen).",
        "a run that uses more than \(text) is ended", change)
    }
  }
}

/// Jobs that have not run although they were due.
struct NeverRunAdvice: AdviceRule {
  static let name = "never_run"
  private static let ageMin = Duration.seconds(7 * 86_400)

  func proposals(for input: AdviceInput) -> [Proposal] {
    // In a cluster, other machines may run them.
    guard input.snapshot.settings.cluster == nil else { return [] }
    let followers = Self.followers(in: input.snapshot)
    return input.snapshot.jobs.compactMap { spec -> Proposal? in
      guard spec.timing.isEnabled, input.history.jobs[spec.name] == nil,
        !spec.timing.schedule.isManual, let known = input.knownSince[spec.name]
      else { return nil }
      // Runs before the oldest run of the ledger are unknown.
      let since = max(known, input.history.range?.lowerBound ?? known)
      guard input.now - since >= Self.ageMin else { return nil }
      let schedule = spec.timing.schedule
      let age = DurationText.brief(input.now - since)
      guard schedule.isTimed else { return untimed(spec, age, input) }
      let due = schedule.rules.compactMap { $0.next(after: since) } + schedule.at
      let isDue =
        due.contains { $0 > since && $0 < input.now }
        || schedule.every.map { $0.interval < input.now - since } == true
      guard isDue else { return nil }
      let reason = "It was due in the last \(age), and it has not run."
      if let follower = followers[spec.name]?.min() {
        let count = followers[spec.name, default: []].count
        return proposal(
          spec.name, reason,
          "see 'takt why \(spec.name)'; \(follower)"
            + (count > 1 ? " and \(count - 1) more run after it" : " runs after it"))
      }
      return proposal(
        spec.name, reason,
        "see 'takt why \(spec.name)'; a job that is not needed can be disabled",
        .init(.enabled, "false"))
    }
  }

  /// A job without times. Nothing is wrong if it only waits for ends that no run has had so far.
  private func untimed(_ spec: JobSpec, _ age: String, _ input: AdviceInput) -> Proposal? {
    let schedule = spec.timing.schedule
    let parents = Self.parents(of: schedule)
    let idle = parents.filter { input.history.jobs[$0.job] == nil }.map(\.job)
    if !parents.isEmpty, idle.isEmpty, schedule.on.isEmpty, schedule.watch.isEmpty {
      let all = schedule.afterAll?.parents ?? []
      guard
        schedule.after.contains(where: { hasEnded($0, input) })
          || !all.isEmpty && all.allSatisfy({ hasEnded($0, input) })
      else { return nil }
    }
    return proposal(
      spec.name, "None of its triggers has started it in the last \(age).",
      "see 'takt why \(spec.name)'"
        + (idle.min().map { "; it runs after \($0), which has not run either" } ?? ""))
  }

  private func hasEnded(_ parent: Following, _ input: AdviceInput) -> Bool {
    guard let history = input.history.jobs[parent.job] else { return false }
    switch parent.condition {
    case .success: return history.failures < history.count
    case .failure: return history.failures > 0
    case .any: return true
    }
  }

  private static func parents(of schedule: Schedule) -> [Following] {
    Array(schedule.after) + (schedule.afterAll?.parents ?? [])
  }

  /// The enabled jobs that run after each job.
  private static func followers(in snapshot: Snapshot) -> [JobName: Set<JobName>] {
    var followers: [JobName: Set<JobName>] = [:]
    for spec in snapshot.jobs where spec.timing.isEnabled {
      for parent in parents(of: spec.timing.schedule) {
        followers[parent.job, default: []].insert(spec.name)
      }
    }
    return followers
  }
}
