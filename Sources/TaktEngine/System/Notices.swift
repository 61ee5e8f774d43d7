import Synchronization

/// Warnings for the log from code that has no observer of its own.
///
/// Safe from any thread.
package enum Notices {
  private struct State {
    var deliver: (@Sendable (String) -> Void)?
    var posted: Set<String> = []
  }

  /// So many different ones are told once; more are not told.
  private static let postedMax = 1000
  private static let state = Mutex(State())

  /// Calls `deliver` with each sentence from now on.
  package static func deliver(to deliver: @escaping @Sendable (String) -> Void) {
    state.withLock { $0.deliver = deliver }
  }

  static func post(_ sentence: String) {
    state.withLock(\.deliver)?(sentence)
  }

  static func postOnce(_ sentence: String) {
    let isNew = state.withLock { state in
      state.posted.count < postedMax && state.posted.insert(sentence).inserted
    }
    if isNew { post(sentence) }
  }
}

/// Counts the threads that wait in the system for something that does not answer, such as a file
/// on a network mount.
///
/// Safe from any thread.
package enum StuckWork {
  private static let state = Mutex((count: 0, total: 0))

  package static var count: Int { state.withLock(\.count) }

  /// How many threads have been given up so far, also those that have returned since.
  package static var total: Int { state.withLock(\.total) }

  /// A thread has been given up; the sentence is for the log.
  static func began(_ sentence: String) {
    state.withLock { state in
      state.count += 1
      state.total += 1
    }
    Notices.post(sentence)
  }

  /// A thread that had been given up has returned.
  static func ended() { state.withLock { $0.count -= 1 } }
}
