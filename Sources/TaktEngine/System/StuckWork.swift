import Synchronization

/// Counts the threads that wait in the system for something that does not answer, such as a file
/// on a network mount.
///
/// Safe from any thread.
package enum StuckWork {
  private static let state = Mutex((count: 0, total: 0))

  /// How many threads wait now.
  package static var count: Int { state.withLock(\.count) }

  /// How many threads have been given up so far, also those that have returned since.
  package static var total: Int { state.withLock(\.total) }

  /// A thread has been given up; the sentence is for the log.
  static func began(_ sentence: String) {
    state.withLock { state in
      state.count += 1
      state.total += 1
    }
    Notices.tell(sentence)
  }

  /// A thread that had been given up has returned.
  static func ended() { state.withLock { $0.count -= 1 } }
}
