package import TaktTime

/// Where a run stands.
package enum RunState: Hashable, Sendable {
  /// It waits for a free place.
  case queued
  case running(attempt: Int)
  /// What the attempt has started has been asked to end; `report` once its own process has.
  indirect case stopping(StopCause, report: AttemptReport?)
  /// The grace is over: what is left has been sent SIGKILL.
  indirect case killing(StopCause, report: AttemptReport?)
  /// An attempt has failed, and the next one waits for its time.
  case backingOff(until: MonotonicInstant, after: RunEnd)
  case ended(RunEnd)

  /// The state without what is true in it alone.
  package var kind: Kind {
    switch self {
    case .queued: .queued
    case .running: .running
    case .stopping: .stopping
    case .killing: .killing
    case .backingOff: .backingOff
    case .ended: .ended
    }
  }

  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case queued, running, stopping, killing
    case backingOff = "backing_off"
    case ended
  }
}

/// Why an attempt in progress is stopped.
package enum StopCause: Hashable, Sendable {
  case timeout
  case shutdown
  /// A newer run of the job takes its place.
  case replaced
  /// A reload has removed the job.
  case removed
  /// Somebody has cancelled the run.
  case byOperator
  /// The ledger could not take it in time.
  case ledger
  /// Another machine may take its slot over.
  case leaseLost
  /// The process has ended and left these behind.
  case descendants([Descendant])

  var moveCause: RunMove.Cause {
    switch self {
    case .timeout: .timeout
    case .shutdown: .shutdown
    case .replaced: .replaced
    case .removed: .removed
    case .byOperator: .byOperator
    case .ledger: .ledger
    case .leaseLost: .leaseLost
    case .descendants: .descendantsLeft
    }
  }

  /// How a run ends that was stopped for this; nil where that depends on the attempt.
  var cancellation: RunReason? {
    switch self {
    case .shutdown: .shutdown
    case .replaced: .replaced
    case .removed: .removed
    case .byOperator: .byOperator
    case .ledger: .ledger
    case .leaseLost: .leaseLost
    case .timeout, .descendants: nil
    }
  }
}
