import TaktCore
import TaktTime

/// The checks at the end.
extension ClusterSimulation {
  mutating func check(until healedAt: MonotonicInstant) {
    checkRuns()
    checkMadeUpFor()
    let jobs = versions[versions.count - 1]
    let first = Self.start
    // Earlier slots are handled in turns: two of a queue are half a second apart.
    let last = Self.start + (healedAt - Self.begin) + .seconds(30)
    let forgottenUntil = failedOverAt.map { Self.start + ($0 - Self.begin) } ?? first
    for job in jobs {
      // A job whose schedule has changed has slots by several of them.
      // Those of a group may wait for each other for as long as it takes.
      // A machine that has seen the last run of a limit asks for no later slots.
      guard !wasSuspended.contains(job.name), job.concurrencyGroup == nil,
        job.timing.schedule.limit == nil,
        versions.allSatisfy({
          $0.contains(where: { $0.name == job.name && $0.timing == job.timing })
        }),
        let every = job.timing.schedule.every, every.origin == .epoch
      else { continue }
      let interval = every.interval
      var slot = WallInstant(
        milliseconds: first.milliseconds / interval.milliseconds * interval.milliseconds)
      while slot <= last {
        defer { slot = slot + interval }
        guard slot > first + .seconds(1) else { continue }
        switch engine.state(of: slot, job.name) {
        case nil where slot <= forgottenUntil: break
        case nil: problems.append("\(job.name) \(offset(slot)): no verdict")
        case "claimed"? where slot < last - .seconds(30),
          "open"?:
          problems.append(
            "\(job.name) \(offset(slot)): still \(engine.state(of: slot, job.name) ?? "")")
        default: break
        }
      }
    }
  }

  /// A slot has one verdict in a ledger.
  mutating func check(_ record: VerdictRecord, of index: Int) {
    guard record.slots.count == 1 else { return }
    let key = "\(record.job) \(record.slots.first.milliseconds)"
    if let before = machines[index].verdicts.updateValue(record.verdict, forKey: key) {
      problems.append("\(key): on m\(index) \(record.verdict) after \(before), at \(time)")
    }
  }

  /// At the end all machines agree about a job's suspension.
  mutating func checkAgreement() {
    for job in versions[0] {
      let states = machines.map {
        $0.scheduler.core.view(of: job.name, at: $0.scheduler.now)?.suspension != nil
      }
      if Set(states).count > 1 {
        problems.append("\(job.name): suspended on some machines only: \(states)")
      }
    }
    if engine.staleCount > 0 { problems.append("\(engine.staleCount) claims after the lease") }
  }

  func offset(_ slot: WallInstant) -> String { "\((slot - Self.start).milliseconds)" }

  /// Checks that two of a group with room for one run at a time only if a machine continued without
  /// its lease.
  mutating func checkGroup() {
    let members = versions[0].filter { $0.concurrencyGroup != nil }
    guard !members.contains(where: { $0.onLeaseLost == .finish }) else { return }
    let names = Set(members.map(\.name.text))
    var all: [(key: String, interval: Interval)] = []
    for (key, intervals) in runs where names.contains(String(key.prefix { $0 != " " })) {
      for interval in intervals { all.append((key, interval)) }
    }
    all.sort { $0.interval.from < $1.interval.from }
    for (earlier, later) in zip(all, all.dropFirst())
    where (earlier.interval.to ?? now) > later.interval.from {
      problems.append("\(earlier.key) and \(later.key): run at a time")
    }
  }

  /// Checks that a job that rests after each end never runs sooner, on any machine, and still runs
  /// at the end.
  mutating func checkRests(until healedAt: MonotonicInstant) {
    for job in versions[0]
    where job.timing.schedule.every?.origin == .end && job.onLeaseLost == .stop {
      let intervals = versions.compactMap { version in
        version.first { $0.name == job.name }?.timing.schedule.every?.interval
      }
      let rest = intervals.min() ?? .zero
      var all: [(key: String, interval: Interval)] = []
      for (key, intervals) in runs where key.hasPrefix("\(job.name) ") {
        for interval in intervals { all.append((key, interval)) }
      }
      all.sort { $0.interval.from < $1.interval.from }
      for (earlier, later) in zip(all, all.dropFirst()) where earlier.key != later.key {
        let gap = later.interval.from - (earlier.interval.to ?? now)
        if gap + .milliseconds(1) < rest {
          problems.append("\(earlier.key) and \(later.key): only \(gap) between them")
        }
      }
      guard !wasSuspended.contains(job.name), job.timing.schedule.limit == nil,
        job.concurrencyGroup == nil
      else { continue }
      if (all.last?.interval.from ?? healedAt) < healedAt + .seconds(60) {
        problems.append("\(job.name): does not go on")
      }
    }
  }

  /// A run that was stopped with the lease is not the end of a slot that is to run at least once.
  private mutating func checkMadeUpFor() {
    for job in versions[0] where job.delivery == .atLeastOnce {
      for (slot, known) in engine.jobs[job.name]?.slots ?? [:] {
        guard case .decided(.ran, .cancelled, RunReason.leaseLost.description) = known.state else {
          continue
        }
        problems.append("\(job.name) \(offset(slot)): was stopped, and not made up for")
      }
    }
  }

  private mutating func checkRuns() {
    for (key, intervals) in runs.sorted(by: { $0.key < $1.key }) {
      let name = JobName(String(key.prefix { $0 != " " }))
      let isAtLeastOnce = versions[0].contains { $0.name == name && $0.delivery == .atLeastOnce }
      if intervals.count(where: { !$0.isUntold }) > 1, !isAtLeastOnce {
        problems.append("\(key): ran \(intervals.count) times")
      }
      for (earlier, later) in zip(intervals, intervals.dropFirst()) {
        let isAllowed =
          versions[0].first { $0.name == name }?.onLeaseLost == .finish
          && earlier.machine != later.machine
        if (earlier.to ?? now) > later.from, !isAllowed { problems.append("\(key): runs overlap") }
        if (earlier.fence ?? 0) >= (later.fence ?? 0) { problems.append("\(key): the fence fell") }
      }
      if intervals.contains(where: { $0.fence == nil }) { problems.append("\(key): ran unclaimed") }
    }
  }
}
