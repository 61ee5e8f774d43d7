package import TaktCore
package import TaktTime

package enum LedgerSchedule {
  /// Nil for a text that is no schedule of takt's.
  package static func read(_ text: String, _ zones: any ZoneSource) -> Schedule? {
    StoredSchedule.schedule(text, zones)
  }

  package static func text(of schedule: Schedule) -> String {
    String(decoding: ScheduleText(StoredSchedule(schedule)).bytes, as: UTF8.self)
  }
}
