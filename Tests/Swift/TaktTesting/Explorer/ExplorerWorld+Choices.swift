import TaktCore
import TaktTime

/// The possible next steps.
extension ExplorerWorld {
  /// The steps that a machine takes by itself; only its requests concern others.
  private func own(_ index: Int) -> [Step] {
    let state = machines[index]
    let machine = state.value
    var steps: [Step] = []
    if let first = state.firstAt, first <= now {
      if let at = machine.startsAt, at <= now { steps.append(.boot(index)) }
      if let at = machine.guardAt, at <= now { steps.append(.guards(index)) }
      if let at = machine.frozenUntil, at <= now { steps.append(.thaw(index)) }
      guard machine.isUp, machine.frozenUntil == nil else { return steps }
      if let at = machine.reloadsAt, at <= now { steps.append(.reload(index)) }
      for run in machine.kept { steps.append(.kept(index, run)) }
      for (run, execution) in machine.running.sorted(by: { $0.key < $1.key })
      where execution.endsAt <= now {
        steps.append(.end(index, run))
      }
      for (timer, arming) in machine.timers where arming.deadline <= now {
        steps.append(.fire(index, timer))
      }
    }
    guard machine.isUp, machine.frozenUntil == nil else { return steps }
    for (place, message) in messages.enumerated()
    where message.machine == index && message.at <= now && !message.message.isBatch {
      steps.append(.hear(place))
    }
    return steps
  }

  private func carries(of index: Int) -> [Step] {
    messages.indices.compactMap { place in
      messages[place].machine == index && messages[place].at <= now
        && messages[place].message.isBatch ? .carry(place) : nil
    }
  }

  /// All possible next steps, without faults.
  ///
  /// One order is enough for steps that two machines take by themselves: neither sees the other's.
  /// And the steps of a machine that waits for an answer may as well come after the engine has
  /// performed its batch, but before the answer arrives: it sends nothing in between.
  var steps: [Step] {
    var (all, batches): ([Step], [Step]) = ([], [])
    var canWait = true
    for index in machines.indices {
      let own = own(index)
      let carries = messages.isEmpty ? [] : carries(of: index)
      if !own.isEmpty {
        if carries.isEmpty { return own }
        if !isWaiting(index) { canWait = false }
      }
      all += own
      batches += carries
    }
    if batches.isEmpty { return [.pass] }
    return canWait ? batches : all + batches
  }

  /// The same, with all orders.
  var enabled: [Step] {
    let all = machines.indices.flatMap { own($0) + carries(of: $0) }
    return all.isEmpty ? [.pass] : all
  }

  /// True if a machine has sent a batch, and sends no other before the engine has performed it.
  private func isWaiting(_ index: Int) -> Bool {
    let machine = machines[index].value
    guard machine.isUp, let asked = machine.sent?.number else { return false }
    var isWaiting = false
    for message in messages where message.machine == index {
      guard message.message.isBatch else { return false }
      if message.life == machine.life, message.message.number == asked { isWaiting = true }
    }
    return isWaiting
  }

  /// The possible faults of some machines, and the answers that may be lost.
  ///
  /// Faults of one machine alone are tried when it has done something, and when time has passed:
  /// the actions of others in between have the same result after it.
  func faults(of indices: Set<Int>, withAnswers: Bool) -> [Step] {
    guard faultsLeft > 0 else { return [] }
    var steps: [Step] = []
    for place in messages.indices {
      guard messages[place].at <= now, messages[place].message.isBatch else { continue }
      if withAnswers, scene.faults.contains(.lostAnswer) {
        steps.append(.fault(.lostAnswer, place))
      }
      if indices.contains(messages[place].machine), scene.faults.contains(.lateBatch) {
        steps.append(.fault(.lateBatch, place))
      }
    }
    for index in indices.sorted() {
      let machine = machines[index].value
      guard machine.isUp, machine.frozenUntil == nil else { continue }
      for fault in [
        ExplorerScene.Fault.crash, .longCrash, .crashWithoutLedger, .freeze, .pause, .suspend,
        .resume, .trigger,
      ] where scene.faults.contains(fault) {
        steps.append(.fault(fault, index))
      }
      if scene.faults.contains(.fail), !machine.running.isEmpty {
        steps.append(.fault(.fail, index))
      }
      if scene.faults.contains(.reload), machines.allSatisfy({ $0.value.version == 0 }) {
        steps.append(.fault(.reload, index))
      }
      let others = machines.indices.contains { $0 != index && !machines[$0].value.isStopping }
      if scene.faults.contains(.leave), others, !machine.isStopping {
        steps.append(.fault(.leave, index))
      }
    }
    return steps
  }

  var nextInstant: MonotonicInstant? {
    var next: MonotonicInstant?
    for instant in messages.map(\.at) + machines.compactMap(\.firstAt) where instant > now {
      next = min(next ?? instant, instant)
    }
    return next
  }
}
