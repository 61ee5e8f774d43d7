import Foundation
import TaktCore

/// A schedule as the ledger holds it: JSON whose keys never change their meaning.
struct StoredSchedule: Codable {
  /// A rule of the clock: its kind, its text in normal form, and how it is read.
  struct Rule: Codable {
    var cron: String?
    var calendar: String?
    var days: String?
    var zone: String
    var gap: String
    var overlap: String
  }

  var every: Int64?
  var from: String?
  var first: Int64?
  var rules: [Rule]?
  var at: [Int64]?
  var on: [String]?

  init(_ schedule: Schedule) {
    every = schedule.every.map { $0.interval.milliseconds }
    from = schedule.every?.origin.rawValue
    first = schedule.every?.first?.milliseconds
    rules = schedule.rules.isEmpty ? nil : schedule.rules.map(Rule.init)
    at = schedule.at.isEmpty ? nil : schedule.at.map(\.milliseconds)
    on = schedule.on.isEmpty ? nil : schedule.on.map(\.rawValue).sorted()
  }

  /// Nil where a rule cannot be read, or its zone is not there any more.
  func schedule(_ zones: any ZoneSource) -> Schedule? {
    var read: [ClockRule] = []
    for rule in rules ?? [] {
      guard let clock = rule.clockRule(zones) else { return nil }
      read.append(clock)
    }
    return Schedule(
      every: every.map {
        Every(
          .milliseconds($0), from: from.flatMap(Every.Origin.init) ?? .start,
          first: first.map { .milliseconds($0) })
      },
      rules: read, at: (at ?? []).map { WallInstant(milliseconds: $0) },
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
  static func schedule(_ text: String, _ zones: any ZoneSource) -> Schedule? {
    let stored = try? JSONDecoder().decode(StoredSchedule.self, from: Data(text.utf8))
    return stored?.schedule(zones)
  }
}

extension StoredSchedule.Rule {
  init(_ rule: ClockRule) {
    zone = rule.zone.name
    gap = rule.dst.gap.rawValue
    overlap = rule.dst.overlap.rawValue
    switch rule.expression {
    case .cron(_, let days):
      cron = rule.text
      self.days = days.rawValue
    case .calendar: calendar = rule.text
    }
  }

  func clockRule(_ zones: any ZoneSource) -> ClockRule? {
    guard let zone = zones.zone(named: zone) else { return nil }
    let dst = DSTPolicy(
      gap: DSTPolicy.Gap(rawValue: gap) ?? .runAfter,
      overlap: DSTPolicy.Overlap(rawValue: overlap) ?? .first)
    if let cron, let expression = try? CronExpression(cron) {
      let days = days.flatMap(CronDayRule.init) ?? .any
      return ClockRule(.cron(expression, days: days), zone: zone, dst: dst)
    }
    guard let calendar, let expression = try? CalendarExpression(calendar) else { return nil }
    return ClockRule(.calendar(expression), zone: zone, dst: dst)
  }
}
