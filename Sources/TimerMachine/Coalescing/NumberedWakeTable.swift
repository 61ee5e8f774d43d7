import TaktTime

/// A wake table of timers that are known by numbers: for time that is not real.
///
/// It is no generic type, so that other modules call code that is made for it.
package struct NumberedWakeTable: Sendable {
  fileprivate final class Owner: Sendable {
    let number: UInt64

    init(_ number: UInt64) { self.number = number }
  }

  /// A timer's entry, as its keeper holds it.
  package struct Entry: Sendable {
    fileprivate let owner: Owner
    fileprivate var slot = UInt32.max

    package init(number: UInt64) { owner = Owner(number) }

    package var number: UInt64 { owner.number }
  }

  private var table = WakeTable<Owner>()

  package init() {}

  /// When the next wake must be; `nil` when nothing is armed.
  package var nextWake: MonotonicInstant? { table.nextWake }

  /// Arms a timer, in place of any earlier arming.
  package mutating func arm(_ entry: inout Entry, _ arming: TimerArming) {
    entry.slot = table.arm(entry.owner, lastSlot: entry.slot, arming)
  }

  package mutating func disarm(_ entry: Entry) {
    table.disarm(entry.owner, lastSlot: entry.slot)
  }

  /// Disarms the timer due first if its window is open at `now`.
  package mutating func takeDue(at now: MonotonicInstant) -> (number: UInt64, ticket: UInt64)? {
    table.takeDue(at: now).map { ($0.owner.number, $0.ticket) }
  }
}
