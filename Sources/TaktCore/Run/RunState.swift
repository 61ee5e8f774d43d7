package import TaktTime

package enum RunState: Hashable, Sendable {
  case queued
  case running(attempt: Int)
  /// The attempt's processes have been asked to end; `report` is set once its own process has.
  indirect case stopping(StopCause, report: AttemptReport?)
  /// After the grace: the remaining processes have been sent SIGKILL.
  indirect case killing(StopCause, report: AttemptReport?)
  /// An attempt has failed, and the next one waits for its time.
  case backingOff(until: MonotonicInstant, after: RunEnd)
  case ended(RunEnd)

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

/// The reason why an attempt in progress is stopped.
package enum StopCause: Hashable, Sendable {
  case timeout
  case shutdown
  /// A newer run of the job replaces it.
  case replaced
  /// A reload has removed the job.
  case removed
  /// A user has cancelled the run.
  case byOperator
  /// The ledger could not record it in time.
  case ledger
  /// Another machine may take over its slot.
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

  /// The reason of a run that was stopped for this; nil if it depends on the attempt.
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
