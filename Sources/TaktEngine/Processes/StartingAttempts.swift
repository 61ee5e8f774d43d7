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
    /// When it was asked for, in the clock ticks of the process table.
    let sinceTicks: UInt64
    /// What is being looked up for it first; nil where nothing is.
    var preparation: SpawnPreparation?
  }

  private let starts = Mutex<[RunID: Start]>([:])

  func add(_ runs: [RunID]) {
    let start = Start(sinceTicks: ProcessStatus.ticksNow())
    starts.withLock { starts in for run in runs { starts[run] = start } }
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

  func contains(_ run: RunID) -> Bool { starts.withLock { $0[run] != nil } }

  var isEmpty: Bool { starts.withLock(\.isEmpty) }

  /// Since when the oldest is in here; nil when there is none.
  var sinceTicks: UInt64? { starts.withLock { $0.values.lazy.map(\.sinceTicks).min() } }
}
