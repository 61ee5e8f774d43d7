import Synchronization

/// Warnings for the log from code that has no observer of its own.
///
/// Safe from any thread.
package enum Notices {
  private struct State {
    var deliver: (@Sendable (String) -> Void)?
    var posted: Set<String> = []
  }

  /// The number of different warnings that are delivered, each once.
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
