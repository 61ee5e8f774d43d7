import Synchronization

/// Where verdicts and runs are kept, and all that outlives takt.
///
/// Safe from any thread; never blocks and never fails its caller.
package protocol Ledger: AnyObject, Sendable {
  /// Takes entries that belong together: they are kept all or none, after those of earlier calls.
  func record(_ entries: [LedgerEntry])

  /// Calls `done` once all that was recorded before this call is kept for certain, even if the
  /// machine loses its power; never when it is not.
  func whenKept(_ done: @escaping @Sendable () -> Void)
}

extension Ledger {
  package func record(_ entry: LedgerEntry) { record([entry]) }
}

/// Counts the slots of this life of takt, and hands everything on to a ledger that keeps it, if there
/// is one.
///
/// Safe from any thread.
package final class CountingLedger: Ledger {
  private let counts = Mutex(VerdictCounts())
  private let next: (any Ledger)?

  /// - Parameter next: what keeps the entries; nil when nothing does.
  package init(next: (any Ledger)? = nil) {
    self.next = next
  }

  package func record(_ entries: [LedgerEntry]) {
    counts.withLock { verdictCounts in
      for case .verdict(let record) in entries { verdictCounts.add(record) }
    }
    next?.record(entries)
  }

  /// Never calls `done` without a ledger that keeps something.
  package func whenKept(_ done: @escaping @Sendable () -> Void) {
    next?.whenKept(done)
  }

  package var verdictCounts: VerdictCounts { counts.withLock { $0 } }
}

/// How many slots were decided, and how.
package struct VerdictCounts: Hashable, Sendable, CustomStringConvertible {
  package static let names = Verdict.Kind.allCases.map(\.rawValue)

  private var numbers = [0, 0, 0, 0, 0]

  package init() {}

  package mutating func add(_ record: VerdictRecord) {
    add(record.verdict.kind, count: record.slots.count)
  }

  package mutating func add(_ kind: Verdict.Kind, count: Int = 1) {
    numbers[kind.place] &+= count
  }

  package mutating func add(_ other: VerdictCounts) {
    for place in numbers.indices { numbers[place] &+= other.numbers[place] }
  }

  /// All slots decided.
  package var slots: Int { numbers.reduce(0, &+) }

  package var ran: Int { self[.ran] }

  package subscript(kind: Verdict.Kind) -> Int { numbers[kind.place] }

  /// Slots by the name of their verdict; only verdicts that there are.
  package var counts: [String: Int] {
    Dictionary(uniqueKeysWithValues: zip(Self.names, numbers).filter { $0.1 != 0 })
  }

  /// `slots 86412 = ran 86001 + skipped 390 + coalesced 0 + missed 21 + cancelled 0`
  package var description: String {
    let parts = zip(Self.names, numbers).map { "\($0) \($1)" }
    return "slots \(slots) = " + parts.joined(separator: " + ")
  }
}
