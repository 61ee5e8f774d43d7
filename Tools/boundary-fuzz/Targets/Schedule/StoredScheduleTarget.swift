import TaktCore
import TaktStore
import TaktTesting
import TaktTime

/// A schedule of a ledger. Its written form is read again as the same, its search ends, and takt
/// verify visits its slots.
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
    guard let job = JobName("a") else { preconditionFailure("'a' is a name") }
    let begin = FixedTime.wall + .seconds(-90_000)
    let version = ScheduleVersion(
      job: job, schedule: schedule, isEnabled: true, anchor: ScheduleInstant(begin),
      from: ScheduleEdge(clock: ScheduleInstant(begin), wall: ScheduleInstant(begin), at: begin),
      instantsFrom: nil)
    EngineAudit.check(EngineSlots(), of: job, versions: [AuditedVersion(begin: version, end: nil)])
    for rule in schedule.rules { NextTimes.check(3) { rule.next(after: $0) } }
  }
}
