import TaktCore
import TaktTime

/// What may happen next.
extension ExplorerWorld {
  /// The steps of a machine that only it takes part in, but for what it asks of the engine.
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

  /// All that may happen next, without faults.
  ///
  /// Of steps that two machines take by themselves one order is enough: neither sees the other's. And
  /// what a machine does while it waits for an answer it may as well do when the engine has done its
  /// batch, before it hears: it asks nothing meanwhile.
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

  /// The same without leaving out orders that come to the same.
  var enabled: [Step] {
    let all = machines.indices.flatMap { own($0) + carries(of: $0) }
    return all.isEmpty ? [.pass] : all
  }

  /// Whether a machine has asked something, and asks nothing more before the engine has done it.
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

  /// What may go wrong now with some machines, and whose answers may be lost.
  ///
  /// What happens to one machine alone is tried when it has done something, and when time has passed:
  /// what others do meanwhile would come to the same after it.
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
