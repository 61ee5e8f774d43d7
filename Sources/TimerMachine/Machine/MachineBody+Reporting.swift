import TaktTime

extension MachineBody {
  /// Puts one report into the outbox, under the lock.
  func note(
    _ event: TimerEvent, from: TimerState, cause: TimerCause, in core: inout MachineCore
  ) {
    guard observer != nil else { return }
    core.reports += 1
    let time = factory.time
    core.outbox.append(
      TimerTransition(
        machine: id, name: name, sequence: core.reports, from: from, to: core.state, event: event,
        cause: cause, generation: core.generation,
        deadline: core.isArmed ? core.monotonicDeadline(on: factory) : nil,
        wall: time.wall, monotonic: time.monotonic))
  }

  /// Hands the outbox to the observer, outside the lock.
  ///
  /// One thread does it at a time, so the order holds; a thread that finds another at it, or
  /// itself further up the stack, leaves its report to that one.
  func report() {
    guard let observer else { return }
    var batch = core.withLock { core -> [TimerTransition] in
      guard !core.isReporting, !core.outbox.isEmpty else { return [] }
      core.isReporting = true
      return Self.empty(&core.outbox)
    }
    while !batch.isEmpty {
      for transition in batch { observer.observe(transition) }
      batch = core.withLock { core in
        core.isReporting = !core.outbox.isEmpty
        return Self.empty(&core.outbox)
      }
    }
  }

  private static func empty(_ outbox: inout [TimerTransition]) -> [TimerTransition] {
    let batch = outbox
    outbox = []
    return batch
  }
}
