/// A machine's membership: a number that the engine never gives out twice.
package struct MemberID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A claim's number, higher than all earlier ones for any slot.
package struct ClaimToken: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A slot's claim, as its run has it.
struct ClaimGrant: Hashable, Sendable {
  var token: ClaimToken
  /// The place of this machine among those that have had the slot, from 1.
  var attempt: Int
  /// The membership that was given it: once that is over the slot may be another machine's.
  var member: MemberID?
  /// The engine has no record of it.
  var isForgotten = false
}
