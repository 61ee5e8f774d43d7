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
      var instant = FixedTime.wall
      for _ in 0..<5 {
        let next = expression.next(after: instant, in: zone)
        precondition(
          next == again.next(after: instant, in: zone), "the normal form means something else")
        guard let next else { break }
        precondition(next > instant, "time runs backwards")
        instant = next
      }
    }
  }
}
