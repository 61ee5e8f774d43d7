package import TaktCore
package import TaktTime

/// Schedules as the ledger holds them.
package enum LedgerSchedule {
  /// Nil for what is no schedule that takt writes.
  package static func read(_ text: String, _ zones: any ZoneSource) -> Schedule? {
    StoredSchedule.schedule(text, zones)
  }

  package static func text(of schedule: Schedule) -> String {
    String(decoding: ScheduleText(StoredSchedule(schedule)).bytes, as: UTF8.self)
  }
}
