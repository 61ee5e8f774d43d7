import Dispatch
import Synchronization
import TaktTime

/// A call that the system may not answer for any length of time, such as the read of a file on a
/// network's file system: made on a thread of its own and waited for up to a limit.
///
/// A thread cannot be stopped in such a call. It is left where it hangs, counted by the `Patience`
/// that started it until its late end.
///
/// Safe from any thread.
package final class PatientCall<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var isGivenUp = false
  }

  private let state = Mutex(State())
  private let ended = DispatchSemaphore(value: 0)
  private let onGivenUp: @Sendable () -> Void
  private let onLateEnd: @Sendable (Value) -> Void

  init(onGivenUp: @escaping @Sendable () -> Void, onLateEnd: @escaping @Sendable (Value) -> Void) {
    self.onGivenUp = onGivenUp
    self.onLateEnd = onLateEnd
  }

  func run(_ body: () -> Value) {
    let value = body()
    let isLate = state.withLock { state in
      state.value = value
      return state.isGivenUp
    }
    if isLate { onLateEnd(value) }
    ended.signal()
  }

  /// Waits that long; nil for a value that comes too late. Call it once.
  package func value(within patience: Duration) -> Value? {
    // A dispatch time so far ahead would overflow.
    let longest = Duration.seconds(365 * 86_400)
    _ = ended.wait(timeout: .now() + .nanoseconds(Int(min(patience, longest).nanosecondsSaturated)))
    return state.withLock { state in
      if state.value == nil {
        state.isGivenUp = true
        // Before its end can be told.
        onGivenUp()
      }
      return state.value
    }
  }

  /// Ends the wait for the value, as though the patience were over.
  package func stopWaiting() { ended.signal() }
}
