import Synchronization

/// Counts the slots of this life of takt, and hands everything on to a ledger that keeps it, if there
/// is one.
///
/// Safe from any thread.
public final class TallyLedger: Ledger {
  private let books = Mutex(Balance())
  private let next: (any Ledger)?

  /// - Parameter next: what keeps the entries; nil when nothing does.
  public init(next: (any Ledger)? = nil) {
    self.next = next
  }

  /// Counts the verdicts and hands on all entries.
  public func record(_ entries: [LedgerEntry]) {
    books.withLock { balance in
      for case .verdict(let record) in entries { balance.add(record) }
    }
    next?.record(entries)
  }

  /// Never calls `done` without a ledger that keeps something.
  public func whenKept(_ done: @escaping @Sendable () -> Void) {
    next?.whenKept(done)
  }

  /// All slots so far.
  public var balance: Balance { books.withLock { $0 } }
}
