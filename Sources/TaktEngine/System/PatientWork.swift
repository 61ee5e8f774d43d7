import Dispatch
import Synchronization

/// Work at takt's start that a file system may hold up for as long as it does not answer.
package enum PatientWork {
  private static let patience = DispatchTimeInterval.seconds(2)

  private final class Attempt<Value: Sendable>: Sendable {
    struct State {
      var value: Value?
      var isGivenUp = false
    }

    let state = Mutex(State())
    let isOver = DispatchSemaphore(value: 0)
  }

  /// Performs it on a thread of its own and returns what came of it; nil where it has not ended
  /// after a moment. It goes on then.
  ///
  /// - Parameter sentence: what the log says in that case.
  package static func perform<Value: Sendable>(
    thread name: String, orLog sentence: String, _ body: @escaping @Sendable () -> Value
  ) -> Value? {
    let attempt = Attempt<Value>()
    do throws(SystemError) {
      try Thread.start(name: name) {
        let value = body()
        let isGivenUp = attempt.state.withLock { state in
          state.value = value
          return state.isGivenUp
        }
        if isGivenUp { StuckWork.ended() }
        attempt.isOver.signal()
      }
    } catch {
      // Without another thread, this one waits.
      return body()
    }
    _ = attempt.isOver.wait(timeout: .now() + patience)
    let value = attempt.state.withLock { state in
      state.isGivenUp = state.value == nil
      return state.value
    }
    if value == nil { StuckWork.began(sentence) }
    return value
  }
}
