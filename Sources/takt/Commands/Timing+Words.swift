import TaktCore
import TaktTime

extension Timing {
  /// A line for each trigger, and for what bounds and delays its slots.
  var words: [String] {
    var lines = schedule.words
    // What happens without a clock is due at once.
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

extension ClockChange {
  /// What the change does to the rule, for people.
  func words(in zone: Zone) -> String {
    let day = "\(time.year)-\(Self.two(time.month))-\(Self.two(time.day))"
    let what =
      isForward
      ? "\(Self.clock(time)) does not exist" : "\(Self.clock(time)) occurs twice"
    let then =
      slots.isEmpty
      ? "there is no slot"
      : "due at " + slots.map { $0.rfc3339(in: zone) }.joined(separator: " and ")
    return "on \(day) the clock goes from \(Self.clock(before)) to \(Self.clock(after)): \(what), "
      + then
  }

  private static func clock(_ time: CivilTime) -> String {
    "\(two(time.hour)):\(two(time.minute))"
      + (time.second == 0 ? "" : ":\(two(time.second))")
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
