import TaktCore
import TaktTesting
import TaktTime

/// An OnCalendar expression. Its normal form means the same, and its slots grow.
struct CalendarTarget: FuzzTarget {
  static let name = "calendar"
  static let summary = "a calendar expression, its normal form, its words and its next times"

  mutating func read(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let expression = try? CalendarExpression(text) else { return }
    _ = expression.words
    guard let again = try? CalendarExpression(expression.normalized) else {
      preconditionFailure("the normal form '\(expression.normalized)' is refused")
    }
    for zone in [FixedZones.berlin, FixedZones.lordHowe] {
      NextTimes.check { instant in
        let next = expression.next(after: instant, in: zone)
        precondition(
          next == again.next(after: instant, in: zone), "the normal form means something else")
        return next
      }
    }
  }
}
