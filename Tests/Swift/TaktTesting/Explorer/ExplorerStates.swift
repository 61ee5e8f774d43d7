import TaktCore
import TaktTime

/// A machine between two occurrences, with its computed transitions. Most worlds that differ only
/// in other machines share it, so that each transition is computed once.
final class MachineState {
  struct Transition {
    let state: MachineState
    let deeds: [ExplorerMachine.Deed]
  }

  fileprivate struct Key: Hashable {
    var occurrence: ExplorerMachine.Occurrence
    var now: MonotonicInstant
  }

  let value: ExplorerMachine
  /// Two machines with the same number have the same future.
  let digest: Int
  /// The time of its next own step; in the past for a step that waits for its turn.
  let firstAt: MonotonicInstant?
  /// It has nothing left to do.
  let isAtRest: Bool
  fileprivate var after: [Key: Transition] = [:]

  fileprivate init(_ value: ExplorerMachine, digest: Int, in scene: ExplorerScene) {
    self.value = value
    self.digest = digest
    firstAt = value.firstAt
    isAtRest = value.isAtRest(in: scene)
  }
}

/// The engine between two batches.
final class EngineState {
  let value: MemoryEngine
  /// Two engines with the same number have the same future.
  let digest: Int
  fileprivate var after: [EngineTree.Request: (EngineState, ExplorerMessage)] = [:]

  fileprivate init(_ value: MemoryEngine, digest: Int) {
    self.value = value
    self.digest = digest
  }

  func isDecided(_ slot: WallInstant, of job: JobName) -> Bool {
    guard let known = value.jobs[job] else { return false }
    switch known.slots[slot]?.state {
    case .decided: return true
    case .claimed, .open: return false
    case nil: return known.series.contains { $0.slots.first <= slot && slot <= $0.slots.last }
    }
  }
}

/// All computed transitions of machines and engines in a search.
final class ExplorerMemory {
  let scene: ExplorerScene
  /// True if the machines tell a story.
  let isTold: Bool
  private let kinds = ValueDigest.Kinds()
  /// By numbers that equal machines and engines share, and no others: mere counters are in them
  /// too, as the core must get them back unchanged.
  private var machines: [Int: MachineState] = [:]
  private var engines: [Int: EngineState] = [:]

  init(_ scene: ExplorerScene, isTold: Bool = false) {
    self.scene = scene
    self.isTold = isTold
  }

  func state(of machine: ExplorerMachine) -> MachineState {
    let digest = machine.digest(kinds, in: scene)
    if let known = machines[digest.exactNumber] { return known }
    let state = MachineState(machine, digest: digest.number, in: scene)
    machines[digest.exactNumber] = state
    return state
  }

  func state(of engine: MemoryEngine) -> EngineState {
    var digest = ValueDigest(kinds)
    digest.add(engine)
    if let known = engines[digest.exactNumber] { return known }
    let state = EngineState(engine, digest: digest.number)
    engines[digest.exactNumber] = state
    return state
  }

  func after(
    _ occurrence: ExplorerMachine.Occurrence, of state: MachineState, at now: MonotonicInstant
  ) -> MachineState.Transition {
    let key = MachineState.Key(occurrence: occurrence, now: now)
    if let known = state.after[key] { return known }
    var machine = state.value
    let deeds = machine.meet(occurrence, at: now, in: scene)
    let transition = MachineState.Transition(state: self.state(of: machine), deeds: deeds)
    state.after[key] = transition
    return transition
  }

  /// The engine after a batch, and its answer.
  func after(
    _ request: EngineTree.Request, of state: EngineState
  ) -> (EngineState, ExplorerMessage) {
    if let known = state.after[request] { return known }
    var engine = state.value
    let reply = engine.perform(request.batch, at: request.at)
    let transition = (self.state(of: engine), ExplorerMessage(.outcome(.answered(reply))))
    state.after[request] = transition
    return transition
  }
}

extension ExplorerMachine {
  fileprivate var firstAt: MonotonicInstant? {
    var first = [startsAt, guardAt, frozenUntil].compactMap { $0 }
    if isUp, frozenUntil == nil {
      first += running.values.map(\.endsAt) + timers.values.map(\.deadline)
      if let at = reloadsAt { first.append(at) }
      if !kept.isEmpty { first.append(MonotonicInstant(nanoseconds: .min)) }
    }
    return first.min()
  }

  fileprivate func isAtRest(in scene: ExplorerScene) -> Bool {
    if isStopping { return running.isEmpty }
    guard isUp, kept.isEmpty else { return false }
    let clock = scene.clock(at: MonotonicInstant(nanoseconds: 1_000_000_000))
    if scene.isAlone {
      return scene.versions[version].allSatisfy {
        core.view(of: $0.name, at: clock)?.active.isEmpty == true
      }
    }
    guard frozenUntil == nil, running.isEmpty, reloadsAt == nil,
      let view = core.clusterView(at: clock)
    else { return false }
    return view.member != nil && view.failure == nil
      && view.waiting.allSatisfy { $0.claims == 0 && $0.unsettled == 0 }
  }

  fileprivate func digest(_ kinds: ValueDigest.Kinds, in scene: ExplorerScene) -> ValueDigest {
    var digest = ValueDigest(kinds)
    digest.add(core)
    digest.add(ledger)
    for (timer, arming) in timers.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      digest.add(timer)
      digest.add(arming.deadline)
      digest.add(token: arming.token)
    }
    for (run, execution) in running.sorted(by: { $0.key < $1.key }) {
      digest.add(run: run)
      digest.add(execution.slot)
      digest.add(execution.endsAt)
      digest.add(execution.result)
    }
    for run in kept { digest.add(run: run) }
    digest.add(verdicts)
    for run in endedMeanwhile { digest.add(run: run) }
    for (run, count) in failedAttempts.sorted(by: { $0.key < $1.key }) {
      digest.add(run: run)
      digest.add(count)
    }
    for flag in [isUp, isStopping] { digest.add(flag) }
    for number in [version, bootedVersion] { digest.add(number) }
    for instant in [startsAt, frozenUntil, reloadsAt, guardAt] { digest.add(instant) }
    // These times have no other consequence.
    digest.add(ledgerSince.nanoseconds == 0)
    digest.add(
      scene.slots(of: version, after: nil).count { $0.at > scene.clock(at: versionFrom).wall })
    digest.count {
      $0.add(life)
      $0.add(sent?.number)
      $0.add(sent?.at)
      $0.add(ledgerSince)
      $0.add(versionFrom)
    }
    return digest
  }
}
