import TaktTime

/// A wake table of timers that their owner knows by small numbers: for virtual time.
///
/// It is not a generic type, so that other modules call specialised code.
package struct NumberedWakeTable: Sendable {
  private var windows = WakeWindows()
  private var tickets: [UInt64] = []

  package init() {}

  /// The instant of the next wake; `nil` if nothing is armed.
  package var nextWake: MonotonicInstant? { windows.nextWake }

  /// Arms a timer, in place of any earlier arming. The table has room for all numbers up to its own.
  package mutating func arm(_ number: UInt32, _ arming: TimerArming) {
    while tickets.count <= Int(number) { tickets.append(0) }
    tickets[Int(number)] = arming.ticket
    windows.set(number, arming)
  }

  package mutating func disarm(_ number: UInt32) { windows.remove(number) }

  /// Disarms the timer due first if its window is open at `now`.
  package mutating func popDue(at now: MonotonicInstant) -> (number: UInt32, ticket: UInt64)? {
    guard let number = windows.first(openAt: now) else { return nil }
    windows.remove(number)
    return (number, tickets[Int(number)])
  }
}
