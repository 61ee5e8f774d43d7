package import Dispatch
import Synchronization

/// The scheduler's serial queue, served in turns: a turn ends with all work that arrived during it,
/// on the same thread. A plain queue would wake another thread for that work.
///
/// Safe from any thread.
package final class TurnQueue: Sendable {
  package typealias Work = @Sendable () -> Void

  private struct State {
    var works: [Work] = []
    /// A turn is in progress, or will follow.
    var isServed = false
  }

  /// Limits the rounds of work that produces more work, before other users of the queue have a
  /// turn.
  private static let roundsMax = 16

  package let queue: DispatchQueue
  private let state = Mutex(State())

  package init(_ queue: DispatchQueue) { self.queue = queue }

  /// Performs `work` on the queue as soon as possible, in the order of the calls.
  package func perform(_ work: @escaping Work) {
    let isFirst = state.withLock { state in
      state.works.append(work)
      defer { state.isServed = true }
      return !state.isServed
    }
    if isFirst { queue.async { self.serve() } }
  }

  /// Serves a turn on the calling thread: waits for the queue, performs `body`, then all work that
  /// arrived meanwhile. For threads that have no other task, such as an alarm's.
  package func turn(_ body: () -> Void) {
    queue.sync {
      state.withLock { $0.isServed = true }
      body()
      serve()
    }
  }

  private func serve() {
    for _ in 0..<Self.roundsMax {
      let works = state.withLock { state in
        defer { state.works = [] }
        state.isServed = !state.works.isEmpty
        return state.works
      }
      guard !works.isEmpty else { return }
      for work in works { work() }
    }
    queue.async { self.serve() }
  }
}
