package import TaktCore

/// Runs as the scheduler, the ledger and a jobs file's load know them.
extension API.Run {
  package init(_ stored: StoredRun, state: RunState.Kind) {
    let head = stored.head
    run = head.run.number
    job = head.job.text
    slot = head.slot
    kind = head.kind.rawValue
    hook = head.hook?.rawValue
    parent = head.parent?.number
    if let set = stored.parameters?.value {
      parameters = set.texts
      parametersOmitted = set.omittedCount > 0 ? set.omittedCount : nil
    }
    self.state = state.rawValue
    began = stored.beganAt
    ended = stored.endedAt
    duration = stored.duration
    attempts = stored.attempts
    guard let end = stored.end else { return }
    outcome = end.outcome.rawValue
    reason = end.reason.description
    guard let use = stored.use else { return }
    cpu = use.cpu
    cpuUser = .microseconds(use.userMicroseconds)
    cpuSystem = .microseconds(use.systemMicroseconds)
    memoryPeak = use.memoryPeakBytes
    readBytes = use.readBytes
    writtenBytes = use.writtenBytes
    switchesVoluntary = use.voluntarySwitches
    switchesInvoluntary = use.involuntarySwitches
  }

  /// A run that nobody watches: it is over, or its end was never written.
  package init(_ stored: StoredRun) { self.init(stored, state: stored.stateUnwatched) }
}

extension StoredRun {
  /// As far as its record says.
  package var stateUnwatched: RunState.Kind {
    end != nil ? .ended : beganAt == nil ? .queued : .running
  }
}
