import Dispatch
public import TaktTime

/// Shares one watcher of the system's wall clock among everyone who follows it.
final class ClockStepHub: Sendable {
  private struct State {
    var handlers: [UInt64: @Sendable () -> Void] = [:]
    var last: UInt64 = 0
    var watcher: ClockStepWatcher?
  }

  static let shared = ClockStepHub()

  private let queue = DispatchQueue(label: "clock steps")
  private let state = Guarded(State())

  func subscribe(_ handler: @escaping @Sendable () -> Void) -> ClockStepSubscription {
    let (number, isWatching) = state.withLock { state in
      state.last += 1
      state.handlers[state.last] = handler
      let watcher =
        state.watcher ?? ClockStepWatcher(queue: queue) { [weak self] in self?.notify() }
      state.watcher = watcher
      return (state.last, watcher.isWatching)
    }
    return ClockStepSubscription(isWatching: isWatching) { [weak self] in
      self?.unsubscribe(number)
    }
  }

  private func unsubscribe(_ number: UInt64) {
    // What goes is destroyed outside the lock.
    let gone = state.withLock { state in
      let handler = state.handlers.removeValue(forKey: number)
      let watcher = state.handlers.isEmpty ? state.watcher : nil
      if state.handlers.isEmpty { state.watcher = nil }
      return (handler, watcher)
    }
    _ = gone
  }

  private func notify() {
    for handler in state.withLock({ Array($0.handlers.values) }) { handler() }
  }
}

extension SystemTimeSource: SteppingTimeSource {
  /// Follows the system's wall clock; on Linux at once. Elsewhere the handler is never called: timers
  /// follow the clock by an alarm that the system keeps on it.
  public func onClockStep(_ handler: @escaping @Sendable () -> Void) -> ClockStepSubscription {
    ClockStepHub.shared.subscribe(handler)
  }
}

/// Keeps a clock-step handler alive; releasing it ends the calls.
public final class ClockStepSubscription: Sendable {
  /// True if steps will be reported; if not, timers keep an alarm on the system's wall clock.
  package let isWatching: Bool
  private let onRelease: @Sendable () -> Void

  /// A subscription that calls `onRelease` when it is released.
  public convenience init(onRelease: @escaping @Sendable () -> Void) {
    self.init(isWatching: true, onRelease: onRelease)
  }

  package init(isWatching: Bool, onRelease: @escaping @Sendable () -> Void) {
    self.isWatching = isWatching
    self.onRelease = onRelease
  }

  deinit {
    onRelease()
  }
}

/// Clocks that report when the wall clock is set.
///
/// With other clocks, timers on the wall clock follow a step only when they are next armed.
public protocol SteppingTimeSource: TimeSource {
  /// Calls `handler` after each step until the subscription is released, possibly once more while
  /// it is. Called on any thread; it must be short.
  func onClockStep(_ handler: @escaping @Sendable () -> Void) -> ClockStepSubscription
}
