import TaktTime

extension Schedule {
  /// A line for each trigger, and for its bounds.
  package var words: [String] {
    var lines = every.map { [$0.words] } ?? []
    for rule in rules {
      let words = rule.expression.words + (rule.expression.filter?.words ?? "")
      lines.append("\(rule.cause.rawValue) \(rule.text): \(words), in \(rule.zone.name)")
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
    if let afterAll { lines.append(afterAll.words) }
    lines += watch.sorted().map { watch in
      let debounce = DurationText.format(watch.debounce)
      return "when \(watch.place) changes, after \(debounce) without another change"
    }
    if !on.isEmpty {
      lines.append("on \(lifecycleWords.joined(separator: " and "))")
    }
    if isManual { lines.append("only by hand") }
    return lines + boundWords
  }

  private var boundWords: [String] {
    var lines: [String] = []
    if let notBefore { lines.append("not before \(notBefore.rfc3339())") }
    if let until { lines.append("not after \(until.rfc3339())") }
    if let limit { lines.append(limit == 1 ? "at most once" : "at most \(limit) times") }
    lines += exclusions.map { exclusion in
      "except \(exclusion.isWholeDays ? "days" : "times") that match \(exclusion.expression.normalized), in "
        + exclusion.zone.name
    }
    return lines + (calendars?.words ?? [])
  }
}

extension PathWatch {
  /// `*.csv or *.tsv in /srv/in or a folder below`
  fileprivate var place: String {
    let what = patterns.map(\.text).joined(separator: " or ")
    return (what.isEmpty ? "" : "\(what) in ") + path + (isRecursive ? " or a folder below" : "")
  }
}

extension ClockRule.Expression {
  /// Without what filters its days.
  fileprivate var words: String {
    switch self {
    case .cron(let cron, let days): cron.words(days: days)
    case .calendar(let calendar): calendar.words
    case .recurrence(let recurrence): recurrence.value.words
    case .filtered(let filtered): filtered.value.base.words
    case .grid(let grid): grid.value.words
    }
  }
}

extension Every {
  fileprivate var words: String {
    let interval = DurationText.format(interval)
    return switch origin {
    case .start: "every \(interval), counted from the first load"
    case .end: "\(interval) after the end of each run"
    case .epoch:
      first.map {
        "every \(interval), counted from \(WallInstant(milliseconds: $0.milliseconds).rfc3339())"
      }
        ?? "every \(interval), aligned with the clock in UTC"
    }
  }
}
