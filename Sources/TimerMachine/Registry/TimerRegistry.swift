import Dispatch

/// Timers by name, kept alive until they are cancelled or over.
///
/// Safe from any thread, from inside handlers and from the observer. Releasing the registry
/// disarms its timers that no one else holds.
public final class TimerRegistry: Sendable {
  /// What is done for each fire.
  public typealias Action = TimerHandler.Call

  private struct State {
    var machines: [String: TimerMachine] = [:]
    /// The actions of cancelled timers, for a later merge.
    var kept: [String: [Action]] = [:]
  }

  let factory: any TimerFactory
  let queue: DispatchQueue
  /// Debouncers and throttles by identifier.
  let rates = RateRegistry()
  private let observer: (any TimerObserver)?
  private let state = Guarded(State())

  /// An empty registry.
  ///
  /// - Parameters:
  ///   - factory: where the alarms come from.
  ///   - queue: where the actions run.
  ///   - observer: told of every transition of every timer. Default none.
  public init(
    factory: any TimerFactory, queue: DispatchQueue, observer: (any TimerObserver)? = nil
  ) {
    self.factory = factory
    self.queue = queue
    self.observer = observer
  }

  /// Adds a timer and starts it.
  ///
  /// - Parameters:
  ///   - name: names it in this registry.
  ///   - schedule: when it fires.
  ///   - existing: what becomes of a timer that has the name. Default `replace`.
  ///   - action: called for each fire.
  /// - Returns: the timer, running; `nil` when it was refused.
  @discardableResult
  public func add(
    _ name: String, _ schedule: TimerSchedule, ifExists existing: ExistingTimer = .replace,
    action: @escaping Action
  ) -> TimerMachine? {
    // Machines are operated quietly under the lock: their reports come back to this registry.
    let (machine, former) = state.withLock { state -> (TimerMachine?, TimerMachine?) in
      let former = state.machines[name]
      if let former {
        if existing == .refuse { return (nil, nil) }
        if existing == .merge, merge(schedule, action, into: former) { return (former, nil) }
      }
      let inherited = existing == .merge ? former?.actions ?? state.kept[name] ?? [] : []
      state.kept[name] = nil
      let machine = make(name, actions: inherited + [action])
      state.machines[name] = machine
      _ = former?.body.operateQuietly(.cancel)
      _ = machine.body.operateQuietly(.activate) { $0.begin(schedule, on: factory) }
      return (machine, former)
    }
    former?.body.settle()
    machine?.body.settle()
    return machine
  }

  /// The timer of this name, running or suspended.
  public func timer(named name: String) -> TimerMachine? {
    state.withLock { $0.machines[name] }
  }

  /// The names of all timers, sorted.
  public var names: [String] { state.withLock { $0.machines.keys.sorted() } }

  /// Cancels a timer and takes it out of the registry.
  ///
  /// - Parameters:
  ///   - name: names the timer.
  ///   - keepActions: keep its actions, so that a timer that is added under this name with
  ///     `merge` inherits them. Default false, which also forgets what was kept before.
  /// - Returns: false when there is no timer of this name.
  @discardableResult
  public func cancel(_ name: String, keepActions: Bool = false) -> Bool {
    let machine = state.withLock { state -> TimerMachine? in
      let machine = state.machines.removeValue(forKey: name)
      if let machine {
        if keepActions { state.kept[name] = machine.actions }
        _ = machine.body.operateQuietly(.cancel)
      }
      if !keepActions { state.kept[name] = nil }
      return machine
    }
    machine?.body.settle()
    return machine != nil
  }

  /// Cancels everything: timers, debouncers, throttles; forgets kept actions.
  public func cancelAll() {
    let machines = state.withLock { state -> [TimerMachine] in
      let machines = Array(state.machines.values)
      for machine in machines { _ = machine.body.operateQuietly(.cancel) }
      state = State()
      return machines
    }
    for machine in machines { machine.body.settle() }
    rates.cancelAll()
  }

  /// A timer is over or was cancelled: it leaves the registry, unless another has its name.
  func ended(_ name: String, machine id: UInt64) {
    let gone = state.withLock { state -> TimerMachine? in
      guard state.machines[name]?.id == id else { return nil }
      return state.machines.removeValue(forKey: name)
    }
    _ = gone
  }

  private func make(_ name: String, actions: [Action]) -> TimerMachine {
    let relay = RegistryRelay(registry: self, observer: observer)
    let machine = TimerMachine(name: name, factory: factory, queue: queue, observer: relay)
    for (number, action) in actions.enumerated() { machine.append(action, number: number) }
    return machine
  }

  /// False when the timer ended in this moment and is only not yet taken out.
  private func merge(
    _ schedule: TimerSchedule, _ action: @escaping Action, into machine: TimerMachine
  ) -> Bool {
    let reply = machine.body.operateQuietly(.reschedule) { $0.begin(schedule, on: factory) }
    guard reply.isAccepted else { return false }
    machine.append(action, number: machine.actions.count)
    return true
  }
}

extension TimerMachine {
  fileprivate var actions: [TimerRegistry.Action] { handlers.map(\.call) }

  fileprivate func append(_ action: @escaping TimerRegistry.Action, number: Int) {
    setHandler(number == 0 ? TimerHandler.main : "action \(number + 1)", action)
  }
}
