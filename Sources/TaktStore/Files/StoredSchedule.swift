import Foundation
import TaktCore

/// A schedule as the ledger holds it: JSON whose keys never change their meaning.
struct StoredSchedule: Codable {
  var every: Int64?
  var from: String?
  var first: Int64?
  var at: [Int64]?
  var on: [String]?

  init(_ schedule: Schedule) {
    every = schedule.every.map { $0.interval.milliseconds }
    from = schedule.every?.origin.rawValue
    first = schedule.every?.first?.milliseconds
    at = schedule.at.isEmpty ? nil : schedule.at.map(\.milliseconds)
    on = schedule.on.isEmpty ? nil : schedule.on.map(\.rawValue).sorted()
  }

  var schedule: Schedule {
    Schedule(
      every: every.map {
        Every(
          .milliseconds($0), from: from.flatMap(Every.Origin.init) ?? .start,
          first: first.map { .milliseconds($0) })
      },
      at: (at ?? []).map { WallInstant(milliseconds: $0) },
      on: Set((on ?? []).compactMap(Occasion.init)))
  }

  static func text(_ schedule: Schedule) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    // Numbers and plain words can always be written.
    return (try? encoder.encode(StoredSchedule(schedule))).map {
      String(decoding: $0, as: UTF8.self)
    }
      ?? "{}"
  }

  /// Nil for what cannot be read.
  static func schedule(_ text: String) -> Schedule? {
    try? JSONDecoder().decode(StoredSchedule.self, from: Data(text.utf8)).schedule
  }
}
