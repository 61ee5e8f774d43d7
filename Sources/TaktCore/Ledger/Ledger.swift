import Synchronization

/// Keeps verdicts, runs, and everything else that outlives takt.
///
/// Safe from any thread; never blocks and never fails its caller.
package protocol Ledger: AnyObject, Sendable {
  /// Takes entries that belong together: all of them are kept or none, after those of earlier
  /// calls.
  func record(_ entries: [LedgerEntry])

  /// Calls `done` once all earlier entries are kept for certain, even if the machine loses its
  /// power; never if they are not.
  func whenKept(_ done: @escaping @Sendable () -> Void)
}

extension Ledger {
  package func record(_ entry: LedgerEntry) { record([entry]) }
}

/// Counts the slots of this daemon, and passes everything on to a ledger that keeps it, if there is
/// one.
///
/// Safe from any thread.
package final class CountingLedger: Ledger {
  private let counts = Mutex(VerdictCounts())
  private let next: (any Ledger)?

  /// - Parameter next: the ledger that keeps the entries; nil if there is none.
  package init(next: (any Ledger)? = nil) {
    self.next = next
  }

  package func record(_ entries: [LedgerEntry]) {
    counts.withLock { verdictCounts in
      for case .verdict(let record) in entries { verdictCounts.add(record) }
    }
    next?.record(entries)
  }

  /// Never calls `done` without a ledger that keeps the entries.
  package func whenKept(_ done: @escaping @Sendable () -> Void) {
    next?.whenKept(done)
  }

  package var verdictCounts: VerdictCounts { counts.withLock { $0 } }
}

/// Decided slots by verdict.
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

  package var slots: Int { numbers.reduce(0, &+) }

  package var ran: Int { self[.ran] }

  package subscript(kind: Verdict.Kind) -> Int { numbers[kind.place] }

  /// Without verdicts that did not occur.
  package var counts: [String: Int] {
    Dictionary(uniqueKeysWithValues: zip(Self.names, numbers).filter { $0.1 != 0 })
  }

  /// `slots 86412 = ran 86001 + skipped 390 + coalesced 0 + missed 21 + cancelled 0`
  package var description: String {
    let parts = zip(Self.names, numbers).map { "\($0) \($1)" }
    return "slots \(slots) = " + parts.joined(separator: " + ")
  }
}
