import Synchronization

/// What is being read just now, for one who waits for it.
package final class ReadingMark: Sendable {
  private let state = Mutex<(path: String, number: Int)>(("", 0))

  package init() {}

  func set(_ path: String) {
    state.withLock {
      $0.path = path
      $0.number += 1
    }
  }

  /// Nothing is read any more.
  package func finish() { set("") }

  /// The path, empty for none, and how many there have been.
  package var current: (path: String, number: Int) { state.withLock { $0 } }
}
