import TaktCore
import TaktTime

extension Timing {
  /// A line for each trigger, and for what bounds and puts off its slots.
  var words: [String] {
    var lines = schedule.words
    // What happens without a clock is due at once.
    guard schedule.every != nil || !schedule.rules.isEmpty || !schedule.at.isEmpty else {
      return lines
    }
    if let spread { lines.append("put off by \(DurationText.format(spread.offset)), its spread") }
    if jitter > .zero { lines.append("each slot put off by up to \(DurationText.format(jitter))") }
    switch leeway {
    case .duration(.zero): break
    case .duration(let duration):
      lines.append("may start up to \(DurationText.format(duration)) later")
    case .percent(let percent): lines.append("may start up to \(percent)% of its interval later")
    }
    return lines
  }
}

extension Schedule {
  /// A line for each trigger, and for its bounds.
  var words: [String] {
    var lines = every.map { [$0.words] } ?? []
    for rule in rules {
      switch rule.expression {
      case .cron(let cron, let days):
        lines.append("cron \(rule.text): \(cron.words(days: days)), in \(rule.zone.name)")
      case .calendar(let calendar):
        lines.append("calendar \(rule.text): \(calendar.words), in \(rule.zone.name)")
      }
    }
    if let first = at.first {
      lines.append(at.count == 1 ? "at \(first.rfc3339())" : "at \(at.count) instants")
    }
    lines += after.sorted().map { following in
      switch following.condition {
      case .success: "after each run of \(following.job) that succeeds"
      case .failure: "after each run of \(following.job) that fails"
      case .any: "after each run of \(following.job)"
      }
    }
    lines += watch.sorted().map { watch in
      "when \(watch.path) changes and \(DurationText.format(watch.debounce)) have passed without another change"
    }
    if !on.isEmpty {
      lines.append("on \(on.map(\.rawValue).sorted().joined(separator: " and "))")
    }
    return lines + boundWords
  }

  private var boundWords: [String] {
    var lines: [String] = []
    if let notBefore { lines.append("not before \(notBefore.rfc3339())") }
    if let until { lines.append("not after \(until.rfc3339())") }
    if let limit { lines.append(limit == 1 ? "once at most" : "\(limit) times at most") }
    lines += exclusions.map { exclusion in
      "but for \(exclusion.isWholeDays ? "days" : "times") of \(exclusion.expression.normalized), in "
        + exclusion.zone.name
    }
    return lines
  }
}

extension Every {
  fileprivate var words: String {
    let interval = DurationText.format(interval)
    return switch origin {
    case .start: "every \(interval), from the first load on"
    case .end: "\(interval) after the end of each run"
    case .epoch: "every \(interval) of the clock"
    }
  }
}

extension Slot {
  /// The instant, by how much it is put off, and what names it.
  func line(in zone: Zone) -> String {
    var words = [nominal.rfc3339(in: zone)]
    if offset > .zero { words.append("+\(DurationText.format(offset))") }
    words.append(causes.sorted().map(\.rawValue).joined(separator: ", "))
    return words.joined(separator: "  ")
  }
}

extension ClockChange {
  /// What the change does to the rule, for people.
  func sentence(in zone: Zone) -> String {
    let day = "\(time.year)-\(Self.two(time.month))-\(Self.two(time.day))"
    let what =
      isForward
      ? "\(Self.clock(time)) does not exist" : "\(Self.clock(time)) comes twice"
    let then =
      slots.isEmpty
      ? "it is left out"
      : "it is due at " + slots.map { $0.rfc3339(in: zone) }.joined(separator: " and ")
    return "on \(day) the clock goes from \(Self.clock(before)) to \(Self.clock(after)): \(what), "
      + then
  }

  private static func clock(_ time: CivilTime) -> String {
    "\(two(time.hour)):\(two(time.minute))"
      + (time.second == 0 ? "" : ":\(two(time.second))")
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
