/// The triggers that name one slot: a set in one number, since each slot has one.
package struct SlotCauses: Hashable, Sendable, ExpressibleByArrayLiteral {
  private var bits: UInt16 = 0

  /// The given triggers.
  package init(arrayLiteral causes: SlotCause...) {
    for cause in causes { insert(cause) }
  }

  /// Whether nothing names the slot.
  package var isEmpty: Bool { bits == 0 }

  /// Adds one.
  package mutating func insert(_ cause: SlotCause) { bits |= Self.bit(of: cause) }

  /// In the order in which causes are listed.
  package func sorted() -> [SlotCause] {
    SlotCause.allCases.filter { bits & Self.bit(of: $0) != 0 }.sorted()
  }

  private static func bit(of cause: SlotCause) -> UInt16 {
    let place: UInt16 =
      switch cause {
      case .every: 0
      case .cron: 1
      case .calendar: 2
      case .at: 3
      case .start: 4
      case .boot: 5
      case .reload: 6
      case .after: 7
      case .watch: 8
      }
    return 1 << place
  }
}
