import Synchronization

/// A ledger that lasts as long as the process: the balance of all slots. It keeps nothing for
/// certain.
///
/// Safe from any thread.
public final class MemoryLedger: Ledger {
  private let books = Mutex(Balance())

  /// An empty one.
  public init() {}

  /// Counts the verdicts.
  public func record(_ entries: [LedgerEntry]) {
    books.withLock { balance in
      for case .verdict(let record) in entries { balance.add(record) }
    }
  }

  /// Never calls `done`.
  public func whenKept(_ done: @escaping @Sendable () -> Void) {}

  /// All slots so far.
  public var balance: Balance { books.withLock { $0 } }
}
