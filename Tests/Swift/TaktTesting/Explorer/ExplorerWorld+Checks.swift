import TaktCore
import TaktTime

/// When a path is at its end, and what must hold there.
extension ExplorerWorld {
  /// Two worlds with the same number have the same future.
  mutating func digest() -> Int {
    if engineDigest == nil {
      var digest = ValueDigest(kinds)
      digest.add(engine)
      engineDigest = digest.number
    }
    for index in machines.indices where machines[index].digest == nil {
      machines[index].digest = ownDigest(of: machines[index])
    }
    var hasher = Hasher()
    hasher.combine(now)
    hasher.combine(engineDigest)
    hasher.combine(starts)
    if scene.isAlone { hasher.combine([successes, decided]) }
    if faultsLeft > 0 { hasher.combine(lastMachine == nil) }
    // Machines that are alike may be exchanged.
    hasher.combine(machines.indices.map(digest(of:)).sorted())
    return hasher.finalize()
  }

  private func ownDigest(of machine: Machine) -> Int {
    var digest = ValueDigest(kinds)
    digest.add(machine.core)
    digest.add(machine.ledger)
    for (timer, arming) in machine.timers.sorted(by: {
      String(describing: $0.key) < String(describing: $1.key)
    }) {
      digest.add(timer)
      digest.add(arming.deadline)
      digest.add(token: arming.token)
    }
    for (run, execution) in machine.running.sorted(by: { $0.key < $1.key }) {
      digest.add(run: run)
      digest.add(execution.slot)
      digest.add(execution.endsAt)
      digest.add(execution.result)
    }
    for run in machine.kept { digest.add(run: run) }
    digest.add(machine.verdicts)
    return digest.number
  }

  private func digest(of index: Int) -> Int {
    let machine = machines[index]
    var hasher = Hasher()
    hasher.combine(machine.digest)
    hasher.combine(machine.isUp)
    hasher.combine(machine.isStopping)
    hasher.combine(machine.version)
    hasher.combine(machine.startsAt)
    hasher.combine(machine.frozenUntil)
    hasher.combine(machine.reloadsAt)
    hasher.combine(machine.guardAt)
    hasher.combine(machine.ledgerSince)
    hasher.combine(machine.versionFrom)
    hasher.combine(machine.endedMeanwhile)
    // A fault is tried once for what a machine has just done.
    if faultsLeft > 0 { hasher.combine(lastMachine == index) }
    // Of what is under way for one machine the order says nothing.
    hasher.combine(
      Set(messages.filter { $0.machine == index }.map { digest(of: $0, life: machine.life) }))
    return hasher.finalize()
  }

  /// A message without the numbers that only count.
  private func digest(of message: Message, life: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(message.life == life)
    hasher.combine(message.at)
    switch message.content {
    case .batch(var batch):
      batch.number = 0
      hasher.combine(batch)
    case .outcome(.answered(var reply)):
      reply.number = 0
      hasher.combine(reply)
    case .outcome(.failed): break
    }
    return hasher.finalize()
  }

  private var jobs: [JobSpec] { scene.versions[machines.map(\.version).max() ?? 0] }

  /// The slots of the present version that were to come when it took the place of another.
  private var slots: [(job: JobSpec, slot: WallInstant)] {
    jobs.flatMap { job in
      job.timing.schedule.at.filter { slot in changedAt.map { slot > $0 } ?? true }.map {
        (job, $0)
      }
    }
  }

  /// Whether all is decided, and nothing under way.
  var isSettled: Bool {
    guard messages.isEmpty, steps == [.pass],
      slots.allSatisfy({ isDecided($0.slot, of: $0.job.name) })
    else { return false }
    return machines.allSatisfy { machine in
      if machine.isStopping { return machine.running.isEmpty }
      if scene.isAlone { return machine.isUp && machine.kept.isEmpty && isIdle(machine) }
      guard machine.isUp, machine.frozenUntil == nil, machine.running.isEmpty,
        machine.kept.isEmpty, machine.reloadsAt == nil,
        let view = machine.core.clusterView(at: clock)
      else { return false }
      return view.member != nil && view.failure == nil
        && view.waiting.allSatisfy { $0.claims == 0 && $0.unsettled == 0 }
    }
  }

  private func isIdle(_ machine: Machine) -> Bool {
    jobs.allSatisfy { machine.core.view(of: $0.name, at: clock)?.active.isEmpty == true }
  }

  private func isDecided(_ slot: WallInstant, of job: JobName) -> Bool {
    guard slot <= wall else { return false }
    if scene.isAlone { return machines[0].verdicts[key(job, slot)] != nil }
    switch engine.state(of: slot, job) {
    case "claimed"?, "open"?, nil: return false
    default: return true
    }
  }

  /// Whether nothing comes any more.
  var isStuck: Bool { nextInstant == nil && steps == [.pass] }

  var isPastHorizon: Bool {
    now > MonotonicInstant(nanoseconds: 1_000_000_000) + scene.horizon
  }

  /// What must hold when all is settled.
  func problemsAtEnd() -> [String] {
    var problems: [String] = []
    for (index, machine) in machines.enumerated() where !machine.isStopping {
      for finding in machine.ledger.audit() { problems.append("m\(index): \(finding)") }
      if scene.isAlone {
        problems += followersMissing
        continue
      }
      for (job, slot) in slots {
        let key = key(job.name, slot)
        let state = engine.state(of: slot, job.name) ?? "nothing"
        guard let verdict = machine.verdicts[key] else {
          // What is past when a machine hears of it was never a slot there.
          if machine.ledgerSince.nanoseconds == 0, slot > wall(of: machine.versionFrom) {
            problems.append("m\(index) has no verdict of \(key), the engine has \(state)")
          }
          continue
        }
        if !agrees(verdict, with: state) {
          problems.append("m\(index) says of \(key) \(verdict), the engine \(state)")
        }
      }
    }
    return problems
  }

  /// Each success of a run names one slot of the job that follows.
  private var followersMissing: [String] {
    guard jobs.count > 1 else { return [] }
    let (count, wanted) = (decided[jobs[1].name] ?? 0, successes[jobs[0].name] ?? 0)
    return count == wanted ? [] : ["\(wanted) successes, and \(count) slots that follow"]
  }

  private func agrees(_ verdict: Verdict, with state: String) -> Bool {
    switch verdict {
    case .ran: state.hasPrefix("ran")
    case .skipped(.elsewhere), .skipped(.unplaced): true
    case .skipped, .coalesced, .missed, .cancelled: !state.hasPrefix("ran")
    }
  }
}
