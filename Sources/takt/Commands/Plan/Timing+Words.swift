import TaktCore
import TaktTime

extension Timing {
  /// A line for each trigger, and for the limits and delays of its slots.
  var words: [String] {
    var lines = schedule.words
    // Triggers without a clock are due at once.
    guard schedule.every != nil || !schedule.rules.isEmpty || !schedule.at.isEmpty else {
      return lines
    }
    if let spread { lines.append("delayed by \(DurationText.format(spread.offset)) (spread)") }
    if jitter > .zero {
      lines.append("each slot delayed by up to \(DurationText.format(jitter)) (jitter)")
    }
    switch leeway {
    case .duration(.zero): break
    case .duration(let duration):
      lines.append("may start up to \(DurationText.format(duration)) later (leeway)")
    case .percent(let percent):
      lines.append("may start up to \(percent)% of its interval later (leeway)")
    }
    return lines
  }
}

extension Slot {
  /// The instant, its delay and its triggers.
  func line(in zone: Zone) -> String {
    var words = [nominal.rfc3339(in: zone)]
    if offset > .zero { words.append("+\(DurationText.format(offset))") }
    words.append(causes.sorted().map(\.rawValue).joined(separator: ", "))
    return words.joined(separator: "  ")
  }
}

extension Slot {
  /// `line`, with the days from which the slot was moved.
  func line(in zone: Zone, of schedule: Schedule) -> String {
    let days = schedule.daysMoved(to: nominal).map { DayFilter.date($0) }
    guard !days.isEmpty else { return line(in: zone) }
    let shown = days.prefix(5).joined(separator: ", ") + (days.count > 5 ? ", …" : "")
    return line(in: zone) + "  moved from \(shown)"
  }
}

/// Future slots of one job, including those that it leaves out.
struct SlotLines {
  /// The number of further slots searched for left-out ones.
  private static let excludedMax = 500

  /// A line for each slot, and one for each unbroken series of slots that are left out.
  static func lines(
    of spec: JobSpec, _ slots: [Slot], after previous: PreviousJob?, from now: Now, in zone: Zone
  ) -> [String] {
    let schedule = spec.timing.schedule
    func line(_ slot: Slot) -> String { slot.line(in: zone, of: schedule) }
    guard schedule.excludedTimes != nil else { return slots.map(line) }
    var bare = spec
    bare.timing.schedule.exclusions = []
    bare.timing.schedule.calendars = nil
    bare.timing.schedule.limit = nil
    let excluded = SlotPreview.slots(
      of: bare, after: previous, startingAt: now, count: slots.count + excludedMax
    ).map(\.nominal).filter { schedule.excludes($0) }
    var lines: [String] = []
    var next = 0
    for slot in slots {
      lines += words(of: excluded[next...].prefix { $0 < slot.nominal }, schedule, zone)
      next += excluded[next...].prefix { $0 < slot.nominal }.count
      lines.append(line(slot))
    }
    return slots.isEmpty ? words(of: excluded[...], schedule, zone) : lines
  }

  private static func words(
    of excluded: ArraySlice<WallInstant>, _ schedule: Schedule, _ zone: Zone
  ) -> [String] {
    guard let first = excluded.first, let last = excluded.last else { return [] }
    let names = schedule.exclusionNames(at: first).joined(separator: ", ")
    if excluded.count == 1 { return ["\(first.rfc3339(in: zone))  excluded: \(names)"] }
    return [
      "\(first.rfc3339(in: zone))  excluded: \(names); \(excluded.count) slots, to "
        + last.rfc3339(in: zone)
    ]
  }
}
