import Synchronization

/// Counts the slots of this life of takt, and hands everything on to a ledger that keeps it, if there
/// is one.
///
/// Safe from any thread.
package final class TallyLedger: Ledger {
  private let books = Mutex(Balance())
  private let next: (any Ledger)?

  /// - Parameter next: what keeps the entries; nil when nothing does.
  package init(next: (any Ledger)? = nil) {
    self.next = next
  }

  /// Counts the verdicts and hands on all entries.
  package func record(_ entries: [LedgerEntry]) {
    books.withLock { balance in
      for case .verdict(let record) in entries { balance.add(record) }
    }
    next?.record(entries)
  }

  /// Never calls `done` without a ledger that keeps something.
  package func whenKept(_ done: @escaping @Sendable () -> Void) {
    next?.whenKept(done)
  }

  /// All slots so far.
  package var balance: Balance { books.withLock { $0 } }
}
