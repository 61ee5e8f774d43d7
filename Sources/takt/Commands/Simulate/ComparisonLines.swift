import TaktCore
import TaktTime

/// The changes with another jobs file, for people and for programs.
struct ComparisonLines {
  let comparison: ForecastComparison
  let zone: Zone

  private static let namesMax = 5

  func print() {
    for line in lines { Console.print(line) }
  }

  var lines: [String] {
    var lines: [String] = []
    if let names = Self.names(comparison.added, "new") { lines.append(names) }
    if let names = Self.names(comparison.removed, "removed") { lines.append(names) }
    for change in comparison.changes { lines += words(change) }
    if comparison.changes.isEmpty {
      lines.append("no job of both files starts later or earlier, or ends otherwise")
    }
    lines.append(difference("late slots") { $0.lateSlots })
    lines.append(difference("slots not served") { $0.notServed })
    lines.append(difference("failed runs") { $0.failures })
    lines.append(difference("runs at once: at most") { $0.report.runningMax })
    lines.append(difference("wake-ups") { $0.report.wakes })
    let seeds = comparison.after.draws.count
    lines.append(
      seeds == 1 ? "one simulation of each file" : "medians of \(seeds) seeds, the same for both")
    return lines
  }

  private static func names(_ names: [JobName], _ what: String) -> String? {
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(namesMax).map(\.text).joined(separator: ", ")
    let rest = names.count - min(names.count, namesMax)
    return "\(what) jobs: \(names.count) (\(shown)\(rest > 0 ? " and \(rest) more" : ""))"
  }

  private func words(_ change: ForecastComparison.Change) -> [String] {
    var lines: [String] = []
    for (shift, word) in [(change.later, "later"), (change.earlier, "earlier")] {
      guard let shift else { continue }
      let at = ForecastTable.time(
        comparison.after.start(ofPart: shift.part), span: comparison.after.plan.span, in: zone)
      let (median, high) = (DurationText.brief(shift.median), DurationText.brief(shift.high))
      lines.append(
        "\(change.job) starts up to \(median)\(median == high ? "" : " (p95 \(high))") \(word) "
          + "from \(at) on")
    }
    for (count, what) in [
      (change.ran, "slots that ran"), (change.lateSlots, "late slots"),
      (change.notServed, "slots not served"), (change.failures, "failed runs"),
    ] where count != 0 {
      lines.append("\(change.job): \(abs(count)) \(count > 0 ? "more" : "fewer") \(what)")
    }
    if !change.reasons.isEmpty {
      let reasons = change.reasons.sorted { $0.key < $1.key }.map { reason, count in
        "\(reason) \(count > 0 ? "+" : "")\(count)"
      }
      lines.append("\(change.job): \(reasons.joined(separator: ", "))")
    }
    return lines
  }

  private func difference(_ what: String, _ value: (Forecast.Draw) -> Int) -> String {
    let (old, new) = (
      comparison.before.spread(value).median, comparison.after.spread(value).median
    )
    return old == new ? "\(what) \(old)" : "\(what) \(old) → \(new)"
  }
}
