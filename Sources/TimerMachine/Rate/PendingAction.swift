/// The action that waits for a timer, and the generation of the timer it waits for.
final class PendingAction: Sendable {
  typealias Action = @Sendable () -> Void

  struct State {
    var action: Action?
    var generation: UInt64 = 0
  }

  let state = Guarded(State())

  /// Takes the action out if `generation` is the one that it waits for.
  func take(_ generation: UInt64) -> Action? {
    state.withLock { state in
      guard state.generation == generation else { return nil }
      let action = state.action
      state.action = nil
      return action
    }
  }
}
