/// How many slots were decided, and how.
package struct Balance: Hashable, Sendable, CustomStringConvertible {
  /// The names of all verdicts.
  package static let names = ["ran", "skipped", "coalesced", "missed", "cancelled"]

  private var numbers = [0, 0, 0, 0, 0]

  /// No slots.
  package init() {}

  /// Counts a record's slots.
  package mutating func add(_ record: VerdictRecord) {
    numbers[record.verdict.place] &+= record.slots.count
  }

  /// Counts what another has counted.
  package mutating func add(_ other: Balance) {
    for place in numbers.indices { numbers[place] &+= other.numbers[place] }
  }

  /// All slots decided.
  package var slots: Int { numbers.reduce(0, &+) }

  /// Slots that have run.
  package var ran: Int { numbers[0] }

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

extension Verdict {
  /// Where it stands among the names.
  fileprivate var place: Int {
    switch self {
    case .ran: 0
    case .skipped: 1
    case .coalesced: 2
    case .missed: 3
    case .cancelled: 4
    }
  }
}
