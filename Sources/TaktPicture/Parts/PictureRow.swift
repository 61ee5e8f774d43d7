import TaktCore

/// A row of the picture: one job, or the sum of those without room for their own.
struct PictureRow: Sendable {
  /// More rows than these would be a picture that nobody scrolls through.
  static let countMax = 80

  let name: String
  let summary: String
  /// The rows of the timeline that this one shows.
  let members: [Int]
  let tally: VerdictCounts
  let runs: Int
  let failedRuns: Int

  var isSum: Bool { members.count > 1 }

  var tooltip: String {
    let failed = failedRuns == 0 ? "" : ", \(PictureText.count(failedRuns)) failed"
    let lines = [name, summary, tally.text, PictureText.count(runs, "run") + failed]
    return lines.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  /// A row for each job, in the order given. If there are too many: those with the most slots that
  /// did not run and then the most slots, and a last row with the sum of the others.
  static func choose(_ timeline: Timeline, on scale: PictureScale) -> [PictureRow] {
    let all = timeline.rows.indices.map { PictureRow(timeline.rows[$0], index: $0, on: scale) }
    guard all.count > countMax else { return all }
    let ranked = all.indices.sorted { left, right in
      let (first, second) = (all[left].tally, all[right].tally)
      let (firstLost, secondLost) = (first.slots - first.ran, second.slots - second.ran)
      if firstLost != secondLost { return firstLost > secondLost }
      if first.slots != second.slots { return first.slots > second.slots }
      return left < right
    }
    let shown = ranked.prefix(countMax - 1).sorted().map { all[$0] }
    return shown + [PictureRow(sumOf: ranked.dropFirst(countMax - 1).sorted().map { all[$0] })]
  }

  private init(_ row: Timeline.Row, index: Int, on scale: PictureScale) {
    let visible = row.runs.lazy.filter { RunBars.touches($0, scale) }
    name = row.name
    summary = row.summary
    members = [index]
    tally = VerdictCounts(row.slots, on: scale)
    runs = visible.count { _ in true }
    failedRuns = visible.count { $0.isFailed }
  }

  private init(sumOf rows: [PictureRow]) {
    name = "and \(PictureText.count(rows.count)) more jobs"
    summary = "the jobs with the fewest slots that did not run"
    members = rows.flatMap(\.members)
    tally = VerdictCounts(sumOf: rows)
    runs = rows.reduce(0) { $0 + $1.runs }
    failedRuns = rows.reduce(0) { $0 + $1.failedRuns }
  }
}

extension VerdictCounts {
  init(_ slots: [Timeline.Mark], on scale: PictureScale) {
    self.init()
    for slot in slots where scale.contains(slot.at) { add(slot.verdict) }
  }

  init(sumOf rows: [PictureRow]) {
    self.init()
    for row in rows { add(row.tally) }
  }

  /// `144 slots: 140 ran, 4 missed`.
  var text: String {
    let parts = Verdict.Kind.allCases.filter { self[$0] > 0 }
      .map { "\(PictureText.count(self[$0])) \($0.rawValue)" }
    let slots = PictureText.count(slots, "slot")
    return parts.isEmpty ? slots : "\(slots): \(parts.joined(separator: ", "))"
  }
}
