import Synchronization

/// A ledger that lasts as long as the process: the balance of all slots, and the newest records.
///
/// Safe from any thread.
public final class MemoryLedger: Ledger {
  private struct Books {
    var balance = Balance()
    var records: [VerdictRecord] = []
  }

  private let books = Mutex(Books())
  private let limit: Int

  /// Keeps at most `limit` records; the oldest half goes when there are more.
  public init(limit: Int = 10_000) {
    self.limit = max(2, limit)
  }

  /// Counts the record and keeps it.
  public func record(_ record: VerdictRecord) {
    books.withLock {
      $0.balance.add(record)
      $0.records.append(record)
      if $0.records.count > limit { $0.records.removeFirst(limit / 2) }
    }
  }

  /// All slots so far.
  public var balance: Balance { books.withLock { $0.balance } }

  /// The newest records, oldest first.
  public var records: [VerdictRecord] { books.withLock { $0.records } }
}
