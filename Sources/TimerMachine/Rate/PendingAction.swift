/// The actions that wait for a timer, and the generation of the timer that the later one waits for.
///
/// Both are taken under the lock by the machine's handler: so they never overlap, and what `cancel`
/// finds here never begins.
final class PendingAction: Sendable {
  typealias Action = @Sendable () -> Void

  struct State {
    /// Is done as soon as the queue has come to it.
    var now: Action?
    /// Is done when the timer is due.
    var later: Action?
    var generation: UInt64 = 0

    /// Takes out what is done for a fire. The due fire takes along what should have come before it.
    mutating func take(_ fire: TimerFire) -> (now: Action?, later: Action?) {
      let isDue = fire.isLast && generation == fire.generation
      let taken = (now, isDue ? later : nil)
      now = nil
      if isDue { later = nil }
      return taken
    }

    /// Sets the later action. Returns the former one.
    mutating func replaceLater(with action: Action?) -> Action? {
      let former = later
      later = action
      return former
    }
  }

  let state = Guarded(State())

  /// Drops what waits, with the timer that it waits for.
  func cancel(_ machine: SafeTimer) -> TimerReply {
    // What is dropped is destroyed outside the lock: what it holds may call back as it goes.
    let (reply, dropped) = state.withLock { state -> (TimerReply, State) in
      let reply = machine.cancel(keepHandlers: true)
      let dropped = state
      (state.now, state.later) = (nil, nil)
      return (reply, dropped)
    }
    _ = dropped
    return reply
  }

  /// The same, and returns when no action is being done any more.
  func cancelAndWait(_ machine: SafeTimer) -> TimerReply {
    let reply = cancel(machine)
    machine.cancelAndWait(keepHandlers: true)
    return reply
  }
}
