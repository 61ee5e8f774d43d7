import TaktCore
package import TaktTime

/// Jobs as a table that fits a terminal.
package struct JobTable {
  private static let titles = ["JOB", "STATE", "NEXT", "LAST", "LATE", "FAILED"]
  private static let nameWidthMin = 12

  var jobs: [JobEntry]
  var width: Int
  var now: WallInstant

  package init(jobs: [JobEntry], width: Int, now: WallInstant) {
    self.jobs = jobs
    self.width = width
    self.now = now
  }

  package var text: String {
    let rows = jobs.map(cells)
    var widths = Self.titles.indices.map { column in
      rows.reduce(Self.titles[column].count) { max($0, $1[column].count) }
    }
    // What does not fit is cut off at the names, which are longest.
    let excess = widths.reduce(0, +) + 2 * (widths.count - 1) - width
    if excess > 0 { widths[0] = max(Self.nameWidthMin, widths[0] - excess) }
    var text = ""
    for row in [Self.titles] + rows {
      var line = ""
      for (cell, width) in zip(row, widths) {
        let shown = cell.count > width ? String(cell.prefix(width - 1)) + "…" : cell
        line += shown
        line += String(repeating: " ", count: max(0, width - shown.count) + 2)
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }

  private func cells(of job: JobEntry) -> [String] {
    let view = job.view
    return [
      view.spec.name.text, state(of: job),
      view.next.map { "in \(Self.short($0.due - now))" }
        ?? view.suspension?.until.map { "rests \(Self.short($0 - now))" } ?? "-",
      job.sight.last.map(last) ?? "-",
      job.sight.lateness.map { Self.short($0) } ?? "-",
      view.failureStreak == 0 ? "-" : "\(view.failureStreak)×",
    ]
  }

  private func state(of job: JobEntry) -> String {
    let state = job.view.state.rawValue
    let percent = job.active.compactMap(\.progress?.percent).last
    let count = job.active.count
    return state + (count > 1 ? " \(count)×" : "") + (percent.map { " \($0)%" } ?? "")
  }

  private func last(_ run: StoredRun) -> String {
    let ago = run.endedAt.map { "\(Self.short(now - $0)) ago" } ?? ""
    let end = run.end
    let reason = end?.outcome == .succeeded ? "" : " \(end?.reason.description ?? "")"
    // What a plugin gave as its reason is not to steer a terminal.
    let shown = reason.unicodeScalars.prefix(24).map {
      $0.properties.generalCategory == .control ? "\u{fffd}" : String($0)
    }
    return "\(end?.outcome.rawValue ?? "")\(shown.joined()) \(ago)"
  }

  /// A length of time in at most two units.
  static func short(_ duration: Duration) -> String {
    let milliseconds = max(0, duration.milliseconds)
    let seconds = milliseconds / 1000
    switch seconds {
    case 0: return "\(milliseconds)ms"
    case ..<60: return "\(seconds)s"
    case ..<3600: return "\(seconds / 60)m\(seconds % 60)s"
    case ..<86_400: return "\(seconds / 3600)h\(seconds % 3600 / 60)m"
    default: return "\(seconds / 86_400)d\(seconds % 86_400 / 3600)h"
    }
  }
}
