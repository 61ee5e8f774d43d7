import TaktCore
import TaktTime

/// What may happen next.
extension ExplorerWorld {
  /// The steps of a machine that only it takes part in, but for what it asks of the engine.
  private func own(_ index: Int) -> [Step] {
    let machine = machines[index]
    var steps: [Step] = []
    if let at = machine.startsAt, at <= now { steps.append(.boot(index)) }
    if let at = machine.guardAt, at <= now { steps.append(.guards(index)) }
    if let at = machine.frozenUntil {
      if at <= now { steps.append(.thaw(index)) }
      return steps
    }
    guard machine.isUp else { return steps }
    if let at = machine.reloadsAt, at <= now { steps.append(.reload(index)) }
    for run in machine.kept { steps.append(.kept(index, run)) }
    for (run, execution) in machine.running.sorted(by: { $0.key < $1.key })
    where execution.endsAt <= now {
      steps.append(.end(index, run))
    }
    for (timer, arming) in machine.timers where arming.deadline <= now {
      steps.append(.fire(index, timer))
    }
    for (place, message) in messages.enumerated() where message.machine == index {
      if message.at <= now, case .outcome = message.content { steps.append(.hear(place)) }
    }
    return steps
  }

  private func carries(of index: Int) -> [Step] {
    messages.indices.compactMap { place in
      guard messages[place].machine == index, messages[place].at <= now,
        case .batch = messages[place].content
      else { return nil }
      return .carry(place)
    }
  }

  /// All that may happen next, without faults. Of steps that two machines take by themselves one
  /// order is enough: neither sees the other's.
  var steps: [Step] {
    var all: [Step] = []
    for index in machines.indices {
      let own = own(index)
      let carries = carries(of: index)
      if !own.isEmpty, carries.isEmpty { return own }
      all += own + carries
    }
    return all.isEmpty ? [.pass] : all
  }

  /// What may go wrong now.
  var faults: [Step] {
    guard faultsLeft > 0 else { return [] }
    var steps: [Step] = []
    for place in messages.indices {
      guard messages[place].at <= now, case .batch = messages[place].content else { continue }
      for fault in [ExplorerScene.Fault.lostAnswer, .lateBatch] where scene.faults.contains(fault) {
        steps.append(.fault(fault, place))
      }
    }
    for index in machines.indices where lastMachine == index || lastMachine == nil {
      guard machines[index].isUp, machines[index].frozenUntil == nil else { continue }
      for fault in [
        ExplorerScene.Fault.crash, .longCrash, .crashWithoutLedger, .freeze, .suspend, .resume,
        .trigger,
      ] where scene.faults.contains(fault) {
        steps.append(.fault(fault, index))
      }
      if scene.faults.contains(.fail), !machines[index].running.isEmpty {
        steps.append(.fault(.fail, index))
      }
      if scene.faults.contains(.reload), machines.allSatisfy({ $0.version == 0 }) {
        steps.append(.fault(.reload, index))
      }
      let others = machines.indices.contains { $0 != index && !machines[$0].isStopping }
      if scene.faults.contains(.leave), others, !machines[index].isStopping {
        steps.append(.fault(.leave, index))
      }
    }
    return steps
  }

  var nextInstant: MonotonicInstant? {
    var next = messages.map(\.at)
    for machine in machines {
      next += [machine.startsAt, machine.guardAt, machine.frozenUntil].compactMap { $0 }
      guard machine.isUp, machine.frozenUntil == nil else { continue }
      next += machine.running.values.map(\.endsAt) + machine.timers.values.map(\.deadline)
      if let at = machine.reloadsAt { next.append(at) }
    }
    return next.filter { $0 > now }.min()
  }
}
