import TimerMachine

/// The known facts about one machine in an operation storm. It holds no machine.
final class StormLedger: TimerObserver {
  private struct State {
    /// The newest generation that began by ending another …
    var generation: UInt64 = 0
    /// … and the claims at a moment after that: an older generation may claim no more.
    var claims: UInt64 = 0
    var lastSequence: UInt64 = 0
    var lastState = TimerState.idle
    var isConcluding = false
    var isFiring = false
    var violation: String?
  }

  private let state = Guarded(State())
  /// The fires after `beginConclusion`.
  let conclusion = FireLog()

  var violation: String? { state.withLock { $0.violation } }

  func ended(before generation: UInt64, claims: UInt64) {
    state.withLock { state in
      guard generation > state.generation else { return }
      state.generation = generation
      state.claims = claims
    }
  }

  func beginConclusion() {
    state.withLock { $0.isConcluding = true }
  }

  func fired(_ fire: TimerFire) {
    let isConcluding = state.withLock { state in
      if fire.generation < state.generation, fire.sequence > state.claims {
        state.violation =
          "claim \(fire.sequence) of generation \(fire.generation) came after generation "
          + "\(state.generation) had started with \(state.claims) claims"
      }
      if state.isFiring { state.violation = "two overlapping handler calls" }
      if fire.claimedAt < fire.deadline { state.violation = "a fire before its deadline" }
      state.isFiring = true
      return state.isConcluding
    }
    if isConcluding { conclusion.record(fire) }
    state.withLock { $0.isFiring = false }
  }

  func observe(_ transition: TimerTransition) {
    state.withLock { state in
      if transition.sequence != state.lastSequence + 1 || transition.from != state.lastState {
        state.violation =
          "report \(transition.sequence) from \(transition.from) after report "
          + "\(state.lastSequence) to \(state.lastState)"
      }
      state.lastSequence = transition.sequence
      state.lastState = transition.to
    }
  }
}

/// A place for one subject at a time; many threads use it while others replace it.
final class StormSlot: Sendable {
  private let name: String
  private let bench: TimerTestBench
  private let subject: Guarded<StormSubject>

  init(name: String, bench: TimerTestBench) {
    self.name = name
    self.bench = bench
    subject = Guarded(StormSubject(name: name, bench: bench))
  }

  var current: StormSubject { subject.withLock { $0 } }

  /// Drops the machine, in whatever state it is, and makes another.
  func replace() {
    let fresh = StormSubject(name: name, bench: bench)
    // The previous machine may go here, and must not under the lock.
    let previous = subject.withLock { subject in
      let previous = subject
      subject = fresh
      return previous
    }
    _ = previous
  }
}
