import TaktCore
import TaktTime

/// Schedules read from their texts, each text once: many jobs have the same schedule, and share it
/// then.
final class StoredSchedules {
  private static let countMax = 10_000

  private let zones: any ZoneSource
  private var known: [String: Schedule] = [:]

  init(_ zones: any ZoneSource) { self.zones = zones }

  /// Nil if it cannot be read.
  func schedule(_ text: String) -> Schedule? {
    if let schedule = known[text] { return schedule }
    guard let schedule = StoredSchedule.schedule(text, zones) else { return nil }
    if known.count >= Self.countMax { known = [:] }
    known[text] = schedule
    return schedule
  }
}
