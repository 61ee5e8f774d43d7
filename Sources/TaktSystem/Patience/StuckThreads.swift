import Synchronization

/// Counts the threads that wait in the system for something that does not answer, such as a file
/// on a network mount.
///
/// Safe from any thread.
package enum StuckThreads {
  private static let state = Mutex((count: 0, total: 0))

  package static var count: Int { state.withLock(\.count) }

  /// Includes the threads that have returned since.
  package static var total: Int { state.withLock(\.total) }

  package static func began() {
    state.withLock { state in
      state.count += 1
      state.total += 1
    }
  }

  package static func ended() { state.withLock { $0.count -= 1 } }
}
