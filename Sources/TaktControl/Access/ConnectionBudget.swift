import Synchronization

/// The number of connections that the descriptors left by runs allow.
///
/// Safe from any thread.
package final class ConnectionBudget: Sendable {
  static let perListenerMax = 512
  /// The connections of a listener even with few descriptors, so that clients can still ask for the
  /// reason.
  static let perListenerMin = 4

  private let descriptors: Atomic<Int>

  package init(descriptors: Int) { self.descriptors = Atomic(descriptors) }

  /// Sets a new number. Connections beyond it stay until they end.
  package func set(descriptors: Int) { self.descriptors.store(descriptors, ordering: .relaxed) }

  /// The most connections of a listener. The Unix socket and TCP have a third of the descriptors
  /// each, so that clients without a token cannot block the commands. The last third is for output
  /// files, services and reading the ledger.
  var perListener: Int {
    min(Self.perListenerMax, max(Self.perListenerMin, descriptors.load(ordering: .relaxed) / 3))
  }
}

final class ConnectionCount: Sendable {
  private let count = Atomic<Int>(0)
  private let budget: ConnectionBudget

  init(_ budget: ConnectionBudget) { self.budget = budget }

  /// Returns true and counts a connection if there is room for it.
  func enter() -> Bool {
    if count.add(1, ordering: .relaxed).newValue <= budget.perListener { return true }
    release()
    return false
  }

  func release() { count.subtract(1, ordering: .relaxed) }
}
