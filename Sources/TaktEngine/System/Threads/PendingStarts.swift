import Glibc
import Synchronization
import TaktCore

/// Requested starts that have not happened yet, each with the signals for it so far.
///
/// Safe from any thread: a process is in here before it can exist, so that it is never taken for an
/// orphan.
final class PendingStarts<Key: Hashable & Sendable>: Sendable {
  private struct Start {
    var signals: [StopSignal] = []
    /// The look-up that comes first; nil without one.
    var preparation: Preparation?
  }

  /// A look-up that may be slow. The first to finish it decides about the start: the look-up
  /// itself, or the one that no longer waits for it.
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

  /// Called when the start has happened, or never will. Returns the signals so far.
  func remove(_ key: Key) -> [StopSignal] {
    starts.withLock { $0.removeValue(forKey: key)?.signals ?? [] }
  }

  /// Looks up the needs of a start, where that delays no other start. Calls exactly one of the two,
  /// once: `onCancelled` if KILL comes first, which also removes the start from here; otherwise
  /// `then`.
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

  /// Keeps a signal until the start; one for an unknown key is ignored. A KILL ends the wait for a
  /// preparation.
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

  func hasSignals(_ key: Key) -> Bool {
    starts.withLock { $0[key]?.signals.isEmpty == false }
  }

  var isEmpty: Bool { starts.withLock { $0.isEmpty } }
}
