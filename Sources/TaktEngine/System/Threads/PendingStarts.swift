import Glibc
import Synchronization
import TaktCore

/// What has been asked for and has not started yet, with the signals that have come for it.
///
/// Safe from any thread: a process is in here before it can exist, so that nobody takes it for an
/// orphan.
final class PendingStarts<Key: Hashable & Sendable>: Sendable {
  private struct Start {
    var signals: [StopSignal] = []
    /// What is being looked up for it first; nil where nothing is.
    var preparation: Preparation?
  }

  /// A look-up that may take its time. Whoever finishes it decides what becomes of the start: who
  /// has found all, or who will wait for it no longer.
  private final class Preparation: Sendable {
    let onCancelled: @Sendable () -> Void
    private let isOver = Atomic<Bool>(false)

    init(_ onCancelled: @escaping @Sendable () -> Void) { self.onCancelled = onCancelled }

    /// True the first time.
    func finish() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
  }

  private let starts = Mutex<[Key: Start]>([:])

  func add(_ keys: [Key]) {
    starts.withLock { starts in for key in keys { starts[key] = Start() } }
  }

  /// The start has happened, or never will. Returns the signals that came before.
  func remove(_ key: Key) -> [StopSignal] {
    starts.withLock { $0.removeValue(forKey: key)?.signals ?? [] }
  }

  /// Looks up what a start needs, where that keeps no other start waiting. One of the two is called,
  /// once: `onCancelled` when KILL comes first, and then the start is in here no longer; else `then`.
  func prepare<Found: Sendable>(
    _ key: Key, for owner: String, on pool: WorkPool,
    _ find: @escaping @Sendable () throws(StartFailure) -> Found,
    onCancelled: @escaping @Sendable () -> Void,
    then: @escaping @Sendable (Result<Found, StartFailure>) -> Void
  ) {
    let preparation = Preparation(onCancelled)
    starts.withLock { $0[key]?.preparation = preparation }
    let giveUp: @Sendable (Int32) -> Void = { number in
      guard preparation.finish() else { return }
      then(.failure(StartFailure(stage: .process, number: number)))
    }
    let item = pool.submit(for: owner, onGivenUp: { giveUp(ETIMEDOUT) }) {
      let found = Result { () throws(StartFailure) in try find() }
      if preparation.finish() { then(found) }
    }
    if item == nil { giveUp(EAGAIN) }
  }

  /// Keeps a signal until the start; one that is not in here is passed over. What is still being
  /// prepared is not waited for when it is killed.
  func keep(_ signal: StopSignal, for key: Key) {
    let cancelled = starts.withLock { starts -> Preparation? in
      if signal == .kill, let preparation = starts[key]?.preparation, preparation.finish() {
        starts[key] = nil
        return preparation
      }
      starts[key]?.signals.append(signal)
      return nil
    }
    cancelled?.onCancelled()
  }

  /// Whether a signal has come for it.
  func hasSignals(_ key: Key) -> Bool {
    starts.withLock { $0[key]?.signals.isEmpty == false }
  }

  var isEmpty: Bool { starts.withLock { $0.isEmpty } }
}
