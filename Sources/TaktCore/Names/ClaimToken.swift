/// A machine's membership: a number that the engine gives out, never twice.
package struct MemberID: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A claim's number. Each new one is higher than all before it, whatever they are for.
package struct ClaimToken: Hashable, Comparable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) { self.number = number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// A slot's claim, as its run has it.
struct ClaimGrant: Hashable, Sendable {
  var token: ClaimToken
  /// Which machine's turn it is, from 1.
  var attempt: Int
  /// The membership that was given it: once that is over the slot may be another machine's.
  var member: MemberID?
  /// The engine does not know it any more.
  var isForgotten = false
}
