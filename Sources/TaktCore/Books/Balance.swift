/// How many slots were decided, and how.
public struct Balance: Hashable, Sendable, CustomStringConvertible {
  /// Slots by the name of their verdict.
  public private(set) var counts: [String: Int] = [:]

  /// No slots.
  public init() {}

  /// Counts a record's slots.
  public mutating func add(_ record: VerdictRecord) {
    counts[record.verdict.name, default: 0] &+= record.slots.count
  }

  /// Counts what another has counted.
  public mutating func add(_ other: Balance) {
    counts.merge(other.counts, uniquingKeysWith: &+)
  }

  /// All slots decided.
  public var slots: Int { counts.values.reduce(0, &+) }

  /// `slots 86412 = ran 86001 + skipped 390 + coalesced 0 + missed 21 + cancelled 0`
  public var description: String {
    let parts = ["ran", "skipped", "coalesced", "missed", "cancelled"].map {
      "\($0) \(counts[$0, default: 0])"
    }
    return "slots \(slots) = " + parts.joined(separator: " + ")
  }
}
