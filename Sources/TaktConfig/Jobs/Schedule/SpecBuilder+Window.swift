import TaktCore
import TaktTime

/// Spread, jitter and leeway end before the next slot.
extension SpecBuilder {
  /// A sum that exceeds the gap between two slots is an error with `every`, whose gaps are all
  /// equal; with times of the clock, it will be cut.
  func checkWindow(_ settled: JobDefaults, against schedule: Schedule, of raw: RawJob) {
    let spread = settled.spread?.over ?? .zero
    let leeway = if case .duration(let leeway) = settled.leeway { leeway } else { Duration.zero }
    let sum = spread + settled.jitter + leeway
    guard sum > .zero else { return }
    var parts: [(key: JobKey, length: Duration)] {
      [(.spread, spread), (.jitter, settled.jitter), (.leeway, leeway)].filter {
        $0.length > .zero
      }
    }
    if let every = schedule.every, sum >= every.interval {
      report(parts, sum, "the interval of \(DurationText.format(every.interval))", .error, raw)
    } else if let gap = shortestGap(of: schedule.rules, for: sum), sum >= gap {
      report(
        parts, sum, "the shortest gap of \(DurationText.format(gap)); takt shortens it there",
        .warning,
        raw)
    }
  }

  private func report(
    _ parts: [(key: JobKey, length: Duration)], _ sum: Duration, _ bound: String,
    _ severity: Diagnostic.Severity, _ raw: RawJob
  ) {
    let own = parts.compactMap { part in
      raw.fields[part.key].flatMap { $0.value?.isNull == false ? $0 : nil }
    }
    let names = parts.map { "\($0.key)" }.joined(separator: " and ")
    let trigger = [JobKey.every, .cron, .calendar, .rrule].lazy.compactMap { raw.fields[$0] }.first
    let isOne = parts.count == 1
    let what =
      (isOne ? "the \(names) of \(DurationText.format(sum))" : "the sum of \(names)")
      + (own.isEmpty ? " from '\(Key.defaults)'" : "")
    reporter.report(
      .outOfRange, severity: severity, at: own.last?.mark ?? trigger?.mark ?? raw.nameMark,
      "\(what)\(isOne ? "" : ", \(DurationText.format(sum)),") is not shorter than \(bound)",
      hint: own.isEmpty
        ? "set '\(parts[parts.count - 1].key)' in this job"
        : names == JobKey.leeway.name
          ? "write a shorter one, or a share such as 10%" : "write shorter ones",
      owner: raw.owner)
  }

  func shortestGap(of rules: [ClockRule], for sum: Duration) -> Duration? {
    guard !rules.isEmpty else { return nil }
    return sources.rules.shortestGap(of: rules, for: sum) {
      rules.shortestGap(for: sum, from: sources.loadedAt)
    }
  }
}
