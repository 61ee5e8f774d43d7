import TaktCore
import TaktStore
import TaktTime

/// A schedule as a ledger holds it. What is written of it is read again, as the same,
/// and its search ends.
struct StoredScheduleTarget: FuzzTarget {
  static let name = "schedule"
  static let summary = "a schedule in the ledger, written again, and its next times"

  mutating func read(_ bytes: [UInt8]) {
    let zones = FixedZones()
    guard let schedule = LedgerSchedule.read(String(decoding: bytes, as: UTF8.self), zones) else {
      return
    }
    let text = LedgerSchedule.text(of: schedule)
    guard let again = LedgerSchedule.read(text, zones) else {
      preconditionFailure("'\(text)' is refused")
    }
    precondition(LedgerSchedule.text(of: again) == text, "'\(text)' is another schedule")
    for rule in schedule.rules {
      var instant = FixedTime.wall
      for _ in 0..<3 {
        guard let next = rule.next(after: instant) else { break }
        precondition(next > instant, "time runs backwards")
        instant = next
      }
    }
  }
}
