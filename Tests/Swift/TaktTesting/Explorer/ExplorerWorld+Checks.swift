import TaktCore
import TaktTime

/// The ends of a path, and the checks there.
extension ExplorerWorld {
  /// A number for the world, and one for each machine with its messages under way. Two worlds with
  /// the same number have the same future, except for faults.
  func digest() -> (world: Int, machines: [Int]) {
    let own = machines.indices.map { digest(of: $0) }
    var hasher = Hasher()
    hasher.combine(now)
    hasher.combine(engine.digest)
    hasher.combine(starts)
    hasher.combine(changedAt)
    if scene.isAlone { hasher.combine([successes, decided]) }
    // Machines in the same state may be exchanged.
    for number in own.count == 2 ? [min(own[0], own[1]), max(own[0], own[1])] : own.sorted() {
      hasher.combine(number)
    }
    return (hasher.finalize(), own)
  }

  private func digest(of index: Int) -> Int {
    let state = machines[index]
    // The order of messages under way for one machine does not matter.
    var sum = state.digest
    for message in messages where message.machine == index {
      sum &+= digest(of: message, state.value)
    }
    return sum
  }

  /// A message without the numbers that only count.
  private func digest(of message: Message, _ machine: ExplorerMachine) -> Int {
    var hasher = Hasher()
    hasher.combine(message.life == machine.life)
    hasher.combine(message.at)
    hasher.combine(message.message.digest)
    // The number of a batch matters only in this: it may be the last one, and it may be too late.
    let isLast = message.message.number == machine.sent?.number
    hasher.combine(isLast)
    if !isLast, case .batch(let batch) = message.message.content, let member = batch.member {
      hasher.combine(engine.value.members[member].map { $0.lastBatch <= batch.number })
    }
    return hasher.finalize()
  }

  private var slots: [ExplorerSlot] {
    scene.slots(of: machines.map(\.value.version).max() ?? 0, after: changedAt)
  }

  /// True if all is decided, and nothing is under way.
  var isSettled: Bool {
    guard messages.isEmpty, machines.allSatisfy(\.isAtRest), isAllDecided else { return false }
    return steps == [.pass]
  }

  private var isAllDecided: Bool {
    slots.allSatisfy { slot in
      guard slot.at <= wall else { return false }
      return scene.isAlone
        ? machines[0].value.verdicts[slot] != nil : engine.isDecided(slot.at, of: slot.job)
    }
  }

  /// True if nothing will happen.
  var isStuck: Bool { nextInstant == nil && steps == [.pass] }

  var isPastHorizon: Bool { now > ExplorerScene.begin + scene.horizon }

  /// The problems when all is settled.
  func problemsAtEnd() -> [String] {
    var problems: [String] = []
    for (index, state) in machines.enumerated() where !state.value.isStopping {
      let machine = state.value
      for finding in machine.ledger.audit() { problems.append("m\(index): \(finding)") }
      if scene.isAlone {
        problems += followersMissing
        continue
      }
      for slot in slots {
        let state = engine.value.state(of: slot.at, slot.job) ?? "nothing"
        guard let verdict = machine.verdicts[slot] else {
          // A slot that was past when a machine got its version was never a slot there.
          if machine.ledgerSince.nanoseconds == 0,
            slot.at > scene.clock(at: machine.versionFrom).wall
          {
            problems.append("m\(index) has no verdict of \(slot), the engine has \(state)")
          }
          continue
        }
        if !agrees(verdict, with: state) {
          problems.append("m\(index) says of \(slot) \(verdict), the engine \(state)")
        }
      }
    }
    return problems
  }

  /// The fate of each slot: the state in the engine, and in each machine's ledger.
  var outcome: String {
    slots.map { slot in
      let verdicts = machines.map { state in
        state.value.isStopping ? "-" : state.value.verdicts[slot].map { "\($0)" } ?? "none"
      }
      return "\(slot): \(engine.value.state(of: slot.at, slot.job) ?? "nothing") "
        + verdicts.sorted().joined(separator: " ")
    }.joined(separator: "; ")
  }

  /// The problem if the number of successes and the number of slots of the job that follows differ.
  private var followersMissing: [String] {
    let jobs = scene.versions[machines[0].value.version]
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
