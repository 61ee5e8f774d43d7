public import Dispatch

/// Holds timers by name until they are cancelled or have no fire left.
///
/// Safe from any thread, from inside handlers and from the observer. Releasing the registry disarms
/// its timers, unless another reference holds them.
public final class TimerRegistry: Sendable {
  /// The action for each fire.
  public typealias Action = TimerHandler.Call

  private struct State {
    var machines: [String: SafeTimer] = [:]
    /// The actions of cancelled timers, for a later merge.
    var kept: [String: [Action]] = [:]
  }

  let factory: any TimerFactory
  let queue: DispatchQueue
  /// Debouncers and throttles by identifier.
  let rates = RateRegistry()
  private let observer: (any TimerObserver)?
  private let state = Guarded(State())

  /// Creates an empty registry.
  ///
  /// - Parameters:
  ///   - factory: where the alarms come from. Default the shared one.
  ///   - queue: where the actions run, unless an entry names its own. Default the global queue.
  ///   - observer: called for every transition of every timer. Default none.
  public init(
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil
  ) {
    self.factory = factory
    self.queue = queue
    self.observer = observer
  }

  /// Adds a timer and starts it.
  ///
  /// - Parameters:
  ///   - name: the timer's name in this registry.
  ///   - schedule: when it fires.
  ///   - existing: what happens to an existing timer with this name. Default `replace`.
  ///   - queue: where its actions run; a timer that is merged into keeps its own. Default that of
  ///     the registry.
  ///   - action: called for each fire.
  /// - Returns: the timer, running; `nil` when it was refused.
  @discardableResult
  public func add(
    _ name: String, _ schedule: TimerSchedule, ifExists existing: ExistingTimer = .replace,
    on queue: DispatchQueue? = nil, action: @escaping Action
  ) -> SafeTimer? {
    // Machines are operated quietly under the lock: their reports come back to this registry.
    // What is dropped is destroyed outside it: what an action holds may call back as it goes.
    let (machine, previous, dropped) = state.withLock {
      state -> (SafeTimer?, SafeTimer?, [Action]?) in
      let previous = state.machines[name]
      if let previous {
        if existing == .refuse { return (nil, nil, nil) }
        if existing == .merge, merge(schedule, action, into: previous) {
          return (previous, nil, nil)
        }
      }
      let kept = state.kept.removeValue(forKey: name)
      let inherited = existing == .merge ? previous?.actions ?? kept ?? [] : []
      let machine = make(name, on: queue, actions: inherited + [action])
      state.machines[name] = machine
      _ = previous?.body.operateQuietly(.cancel)
      _ = machine.body.operateQuietly(.activate) { $0.begin(schedule, of: machine.body) }
      return (machine, previous, kept)
    }
    _ = dropped
    if previous !== machine { previous?.body.releaseHandlers() }
    previous?.body.settle()
    machine?.body.settle()
    return machine
  }

  /// The timer of this name, running or suspended.
  public func timer(named name: String) -> SafeTimer? {
    state.withLock { $0.machines[name] }
  }

  /// The names of all timers, sorted.
  public var names: [String] { state.withLock { $0.machines.keys.sorted() } }

  /// Cancels a timer and removes it from the registry.
  ///
  /// - Parameters:
  ///   - name: the timer's name.
  ///   - keepActions: whether to keep its actions for a later timer that is added under this name
  ///     with `merge`. Default false, which also drops actions kept earlier.
  /// - Returns: false when there is no timer of this name.
  @discardableResult
  public func cancel(_ name: String, keepActions: Bool = false) -> Bool {
    let (machine, dropped) = state.withLock { state -> (SafeTimer?, [Action]?) in
      let machine = state.machines.removeValue(forKey: name)
      _ = machine?.body.operateQuietly(.cancel)
      guard keepActions else { return (machine, state.kept.removeValue(forKey: name)) }
      guard let machine else { return (nil, nil) }
      return (machine, state.kept.updateValue(machine.actions, forKey: name))
    }
    _ = dropped
    machine?.body.releaseHandlers()
    machine?.body.settle()
    return machine != nil
  }

  /// Cancels all timers, debouncers and throttles, and drops kept actions.
  public func cancelAll() {
    let previous = state.withLock { state -> State in
      for machine in state.machines.values { _ = machine.body.operateQuietly(.cancel) }
      let previous = state
      state = State()
      return previous
    }
    for machine in previous.machines.values {
      machine.body.releaseHandlers()
      machine.body.settle()
    }
    rates.cancelAll()
  }

  /// A timer is over or was cancelled: it leaves the registry, unless another has its name, or it
  /// was activated again before the word came here.
  func ended(_ name: String, machine id: UInt64) {
    let gone = state.withLock { state -> SafeTimer? in
      guard let machine = state.machines[name], machine.id == id, machine.state == .cancelled
      else { return nil }
      return state.machines.removeValue(forKey: name)
    }
    _ = gone
  }

  private func make(_ name: String, on queue: DispatchQueue?, actions: [Action]) -> SafeTimer {
    let relay = RegistryRelay(registry: self, observer: observer)
    let machine = SafeTimer(
      name: name, factory: factory, queue: queue ?? self.queue, observer: relay)
    for action in actions { machine.append(action) }
    return machine
  }

  /// False when the timer ended in this moment and is only not yet taken out.
  private func merge(
    _ schedule: TimerSchedule, _ action: @escaping Action, into machine: SafeTimer
  ) -> Bool {
    let body = machine.body
    let reply = body.operateQuietly(.reschedule) { $0.begin(schedule, of: body) }
    guard reply.isAccepted else { return false }
    machine.append(action)
    return true
  }
}

extension SafeTimer {
  fileprivate var actions: [TimerRegistry.Action] { handlers.map(\.call) }

  /// Adds an action after all others, under a name that none of them has.
  fileprivate func append(_ action: @escaping TimerRegistry.Action) {
    let names = handlers.map(\.name)
    guard !names.isEmpty else {
      setHandler(TimerHandler.main, action)
      return
    }
    var number = names.count + 1
    while names.contains("action \(number)") { number += 1 }
    setHandler("action \(number)", action)
  }
}

/// The handling of an existing timer when another is added under its name.
public enum ExistingTimer: String, Sendable, Hashable, CaseIterable {
  /// It is cancelled, and the new one replaces it. The default.
  case replace
  /// It takes the new schedule and keeps its actions; the new action comes after them. A suspended
  /// timer stays suspended.
  case merge
  /// It stays, and the new timer is not created.
  case refuse
}

/// Passes reports on and notifies the registry of timers that have ended.
final class RegistryRelay: TimerObserver {
  private let holder: WeakRegistry
  private let observer: (any TimerObserver)?

  init(registry: TimerRegistry, observer: (any TimerObserver)?) {
    holder = WeakRegistry(registry)
    self.observer = observer
  }

  func observe(_ transition: TimerTransition) {
    observer?.observe(transition)
    if transition.to == .cancelled, transition.from != .cancelled {
      holder.registry?.ended(transition.name, machine: transition.machine)
    }
  }
}

/// A registry holds its timers, so they must not hold it.
private struct WeakRegistry: Sendable {
  weak let registry: TimerRegistry?

  init(_ registry: TimerRegistry) {
    self.registry = registry
  }
}
