import Synchronization

/// Counts the threads that wait in the system for something that does not answer, such as a file
/// on a network mount.
///
/// Safe from any thread.
package enum StuckThreads {
  private static let state = Mutex((count: 0, total: 0))

  package static var count: Int { state.withLock(\.count) }

  /// How many threads have been given up so far, also those that have returned since.
  package static var total: Int { state.withLock(\.total) }

  /// A thread has been given up.
  package static func began() {
    state.withLock { state in
      state.count += 1
      state.total += 1
    }
  }

  /// A thread that had been given up has returned.
  package static func ended() { state.withLock { $0.count -= 1 } }
}
