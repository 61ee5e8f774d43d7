package import TaktTime

/// Where a run stands.
package enum RunState: Hashable, Sendable {
  /// It waits for a free place.
  case queued
  /// An attempt is in progress.
  case running(attempt: Int)
  /// What the attempt has started has been asked to end; `report` once its own process has.
  case stopping(StopCause, report: AttemptReport?)
  /// The grace is over: what is left has been sent SIGKILL.
  case killing(StopCause, report: AttemptReport?)
  /// An attempt has failed, and the next one waits for its time.
  case backingOff(until: MonotonicInstant, after: RunEnd)
  /// It is over.
  case ended(RunEnd)

  /// The state's name in the log.
  package var name: String { kind.rawValue }

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

  /// The states by name.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case queued, running, stopping, killing
    case backingOff = "backing_off"
    case ended
  }
}
