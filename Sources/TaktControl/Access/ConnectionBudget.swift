import Synchronization

/// How many connections there may be: as many as descriptors are left when the runs have theirs.
///
/// Safe from any thread.
package final class ConnectionBudget: Sendable {
  /// So many there are at most on each listener.
  static let perListenerMax = 512
  /// So many each listener takes however few descriptors there are, or nobody could ask what is
  /// wrong.
  static let perListenerMin = 4

  private let descriptors: Atomic<Int>

  package init(descriptors: Int) { self.descriptors = Atomic(descriptors) }

  /// From now on there are so many. Connections beyond stay until they end.
  package func set(descriptors: Int) { self.descriptors.store(descriptors, ordering: .relaxed) }

  /// How many connections a listener takes. The Unix socket and TCP have a third of the descriptors
  /// each, so that no client without a token keeps the commands out. The last third is for output
  /// files, services and reading the ledger.
  var perListener: Int {
    min(Self.perListenerMax, max(Self.perListenerMin, descriptors.load(ordering: .relaxed) / 3))
  }
}

/// How many connections a listener has.
final class ConnectionCount: Sendable {
  private let count = Atomic<Int>(0)
  private let budget: ConnectionBudget

  init(_ budget: ConnectionBudget) { self.budget = budget }

  /// Whether there is room for one more, which is then counted.
  func enter() -> Bool {
    if count.add(1, ordering: .relaxed).newValue <= budget.perListener { return true }
    release()
    return false
  }

  func release() { count.subtract(1, ordering: .relaxed) }
}
