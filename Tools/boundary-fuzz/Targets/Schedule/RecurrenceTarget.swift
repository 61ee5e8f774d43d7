import TaktCore
import TaktTesting
import TaktTime

/// A recurrence rule. Its normal form means the same, and its slots grow.
struct RecurrenceTarget: FuzzTarget {
  static let name = "rrule"
  static let summary = "a recurrence of RFC 5545, its normal form, its words and its next times"

  mutating func read(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let recurrence = try? Recurrence.read(text).recurrence else { return }
    guard let again = try? Recurrence.read(recurrence.normalized).recurrence else {
      preconditionFailure("the normal form '\(recurrence.normalized)' is refused")
    }
    precondition(again == recurrence, "the normal form means something else")
    for zone in [FixedZones.berlin, FixedZones.lordHowe] {
      NextTimes.check { recurrence.next(after: $0, in: zone, dst: recurrence.ownDST) }
    }
  }
}
