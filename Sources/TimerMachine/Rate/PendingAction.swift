/// The action that waits for a timer, and the generation of the timer it waits for.
final class PendingAction: Sendable {
  typealias Action = @Sendable () -> Void

  struct State {
    var action: Action?
    var generation: UInt64 = 0

    /// Returns the former action.
    mutating func replaceAction(with action: Action?) -> Action? {
      let former = self.action
      self.action = action
      return former
    }
  }

  let state = Guarded(State())

  /// Drops what waits, with the timer that it waits for.
  func cancel(_ machine: TimerMachine) {
    // What is dropped is destroyed outside the lock: what it holds may call back as it goes.
    let dropped = state.withLock { state -> Action? in
      machine.cancel()
      return state.replaceAction(with: nil)
    }
    _ = dropped
  }

  /// Takes the action out if `generation` is the one that it waits for.
  func take(_ generation: UInt64) -> Action? {
    state.withLock { state in
      guard state.generation == generation else { return nil }
      return state.replaceAction(with: nil)
    }
  }
}
