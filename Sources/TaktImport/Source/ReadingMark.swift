import Synchronization

/// The path being read, for a thread that waits for it.
package final class ReadingMark: Sendable {
  private let state = Mutex<(path: String, number: Int)>(("", 0))

  package init() {}

  func set(_ path: String) {
    state.withLock {
      $0.path = path
      $0.number += 1
    }
  }

  package func finish() { set("") }

  /// The path, empty for none, and the number of paths so far.
  package var current: (path: String, number: Int) { state.withLock { $0 } }
}
