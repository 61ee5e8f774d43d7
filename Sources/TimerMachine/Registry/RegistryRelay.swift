/// Passes reports on and tells the registry of timers that have ended.
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
