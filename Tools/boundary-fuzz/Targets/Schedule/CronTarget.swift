import TaktCore
import TaktTesting
import TaktTime

/// A cron expression. Its normal form means the same, and its slots grow.
struct CronTarget: FuzzTarget {
  static let name = "cron"
  static let summary = "a cron expression, its normal form, its words and its next times"

  mutating func read(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let expression = try? CronExpression(text, seed: "job") else { return }
    _ = expression.words()
    guard let again = try? CronExpression(expression.normalized, seed: "job") else {
      preconditionFailure("the normal form '\(expression.normalized)' is refused")
    }
    for zone in [FixedZones.berlin, FixedZones.lordHowe] {
      let rule = ClockRule(.cron(expression, days: .any), zone: zone, dst: .cron)
      let same = ClockRule(.cron(again, days: .any), zone: zone, dst: .cron)
      NextTimes.check { instant in
        let next = rule.next(after: instant)
        precondition(next == same.next(after: instant), "the normal form means something else")
        return next
      }
    }
  }
}
