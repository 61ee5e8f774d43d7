import Synchronization
import TaktCore

/// The attempts whose children are still to come.
///
/// Safe from any thread: an attempt is in here before its child can exist, so that nobody takes the
/// child for an orphan.
final class StartingAttempts: Sendable {
  struct Start {
    /// Signals that came before the child.
    var signals: [StopSignal] = []
    /// What is being looked up for it first; nil where nothing is.
    var preparation: SpawnPreparation?
  }

  private let starts = Mutex<[RunID: Start]>([:])

  func add(_ runs: [RunID]) {
    starts.withLock { starts in for run in runs { starts[run] = Start() } }
  }

  func prepare(_ run: RunID) -> SpawnPreparation {
    let preparation = SpawnPreparation()
    starts.withLock { $0[run]?.preparation = preparation }
    return preparation
  }

  func remove(_ run: RunID) -> Start? { starts.withLock { $0.removeValue(forKey: run) } }

  /// Keeps a signal until the child has come; a run that is not in here is passed over. True when
  /// there will be no child: an attempt that is still being prepared is not waited for.
  func keep(_ signal: StopSignal, for run: RunID) -> Bool {
    starts.withLock { starts in
      if signal == .kill, starts[run]?.preparation?.finish() == true {
        starts[run] = nil
        return true
      }
      starts[run]?.signals.append(signal)
      return false
    }
  }

  var isEmpty: Bool { starts.withLock(\.isEmpty) }
}
