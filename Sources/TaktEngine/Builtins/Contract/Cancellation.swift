import Dispatch
import Synchronization
import TaktTime

/// Tells work that nobody wants it any more.
///
/// Safe from any thread.
package final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    var lastKey = 0
    var handlers: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  /// Nothing is cancelled yet.
  package init() {}

  /// Whether `cancel` has been called.
  package var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Calls all handlers, on this thread; a second call changes nothing.
  package func cancel() {
    let handlers = state.withLock { state in
      state.isCancelled = true
      defer { state.handlers = [:] }
      return Array(state.handlers.values)
    }
    for handler in handlers { handler() }
  }

  /// Does `body`, during which `cancel` calls `handler`; at once where it has been called before.
  /// The handler must not block.
  package func whileWatched<Result>(
    by handler: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) rethrows -> Result {
    let key = state.withLock { state -> Int? in
      guard !state.isCancelled else { return nil }
      state.lastKey += 1
      state.handlers[state.lastKey] = handler
      return state.lastKey
    }
    if key == nil { handler() }
    defer { if let key { state.withLock { $0.handlers[key] = nil } } }
    return try body()
  }

  /// Blocks the thread for so long. False when it was cancelled before.
  package func sleep(_ duration: Duration) -> Bool {
    let woken = DispatchSemaphore(value: 0)
    let nanoseconds = max(0, min(duration.nanosecondsSaturated, Int64.max / 4))
    whileWatched(by: { woken.signal() }) {
      _ = woken.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }
    return !isCancelled
  }
}
