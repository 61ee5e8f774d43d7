import TaktTime

/// One transition of a machine, without what is the same in all of them: numbers alone, so that a
/// machine without an observer has nothing to destroy.
struct TransitionNote: Sendable {
  var sequence: UInt64
  var from: TimerState
  var to: TimerState
  var event: TimerEvent
  var cause: TimerCause
  var generation: UInt64
  var deadline: MonotonicInstant?
  var wall: WallInstant
  var monotonic: MonotonicInstant
}

extension MachineBody {
  /// Notes one transition, under the lock: for the caller to hand over where it may, else in the
  /// outbox.
  func note(
    _ event: TimerEvent, from: TimerState, cause: TimerCause, in core: inout MachineCore,
    _ report: inout TransitionNote?
  ) {
    guard isObserved else { return }
    core.reports += 1
    let transition = TransitionNote(
      sequence: core.reports, from: from, to: core.state, event: event, cause: cause,
      generation: core.generation,
      deadline: core.isArmed ? core.monotonicDeadline(in: group) : nil,
      wall: group.wall, monotonic: group.monotonic)
    if core.isReporting || core.extras?.outbox.isEmpty == false {
      core.madeExtras().outbox.append(transition)
    } else {
      core.isReporting = true
      report = transition
    }
  }

  /// Hands a transition to the observer, outside the lock, and after it the outbox.
  ///
  /// One thread does it at a time, so the order holds; a thread that finds another at it, or
  /// itself further up the stack, leaves its report to that one.
  @inline(__always)
  func report(_ transition: TransitionNote?) {
    if isObserved { handOver(transition) }
  }

  private func handOver(_ transition: TransitionNote?) {
    guard let observer = group.observer else { return }
    if let transition {
      observer.observe(reported(transition))
    } else if !core.withLock({ $0.beginsReporting() }) {
      return
    }
    while true {
      let batch = core.withLock { $0.popReports() }
      if batch.isEmpty { return }
      for transition in batch { observer.observe(reported(transition)) }
    }
  }

  /// A transition as the observer receives it.
  private func reported(_ note: TransitionNote) -> TimerTransition {
    TimerTransition(
      machine: id, name: group.name, sequence: note.sequence, from: note.from, to: note.to,
      event: note.event, cause: note.cause, generation: note.generation, deadline: note.deadline,
      wall: note.wall, monotonic: note.monotonic)
  }
}

extension MachineCore {
  /// Leaves a transition that was to be handed over to the next reporter.
  mutating func postpone(_ transition: TransitionNote?) {
    guard let transition else { return }
    isReporting = false
    // Transitions after it, if it was to be handed over first, are there already.
    madeExtras().outbox.insert(transition, at: 0)
  }

  /// True if reports wait and no thread hands them over; this thread then does.
  fileprivate mutating func beginsReporting() -> Bool {
    guard !isReporting, extras?.outbox.isEmpty == false else { return false }
    isReporting = true
    return true
  }

  /// Takes out all reports of the outbox; if there are none, the reporting ends.
  fileprivate mutating func popReports() -> [TransitionNote] {
    guard let extras, !extras.outbox.isEmpty else {
      isReporting = false
      return []
    }
    let batch = extras.outbox
    extras.outbox = []
    return batch
  }
}
