import TaktCore
package import TaktTime

/// Jobs as a table for a terminal. It is built job by job, without a string per cell, because it
/// may have a hundred thousand rows.
package struct StatusTable: Sendable {
  private static let titles = ["JOB", "STATE", "NEXT", "LAST", "LATE", "FAILED", "NOT RUN"]
  private static let nameWidthMin = 12

  private let width: Int
  private let now: WallInstant
  private var cells: TextTable
  /// The urgency of each row; equal ones stay in the order of their names.
  private var ranks: [UInt8] = []
  private var sum = JobSum()

  package init(width: Int, now: WallInstant) {
    self.width = width
    self.now = now
    cells = TextTable(titles: Self.titles, emptyCell: "-")
  }

  /// The table in UTF-8.
  package var text: [UInt8] {
    // Names are longest, and are cut if the table is too wide.
    cells.text(width: width, narrowing: [.init(0, to: Self.nameWidthMin)], ranks: ranks)
  }

  /// Such as `12 jobs, 2 failing, 1 stale`.
  package var sumWords: String { sum.words }

  package mutating func add(_ job: JobEntry) {
    let now = now
    sum.add(job)
    rank(min(job.attention, .late))
    cells.add { $0.append(utf8: job.view.spec.name.text) }
    cells.add { Self.append(stateOf: job, to: &$0) }
    cells.add { Self.append(nextOf: job.view, at: now, to: &$0) }
    cells.add { if let last = job.history.last { Self.append(last, at: now, to: &$0) } }
    cells.add {
      if let lateness = job.history.lateness { DurationText.appendBrief(lateness, to: &$0) }
    }
    cells.add { cell in
      if job.view.failureStreak == 0 { return }
      cell.append(decimal: Int64(job.view.failureStreak))
      cell.append(utf8: "×")
    }
    cells.add { cell in
      let count = job.history.notRunCount
      if count == 0 { return }
      cell.append(decimal: Int64(count))
      cell.append(utf8: " of ")
      cell.append(decimal: Int64(job.history.verdicts.count))
    }
  }

  private mutating func rank(_ attention: JobEntry.Attention) {
    ranks.append(UInt8(attention.rawValue))
  }

  mutating func add(_ family: JobFamily) {
    let now = now
    sum.add(family)
    rank(min(family.attention, .late))
    cells.add {
      $0.append(utf8: family.name.text)
      $0.append(utf8: family.count == 1 ? " (1 job)" : " (\(family.count) jobs)")
    }
    cells.add { cell in
      let states = JobView.State.allCases.compactMap { state in
        family.states[state].map { "\($0) \(state.rawValue)" }
      }
      cell.append(
        utf8: (states + (family.stale > 0 ? ["\(family.stale) stale"] : [])).joined(separator: ", ")
      )
    }
    cells.add { cell in
      guard let next = family.next else { return }
      cell.append(utf8: "in ")
      DurationText.appendBrief(next.due - now, to: &cell)
    }
    cells.add { if let last = family.last { Self.append(last, at: now, to: &$0) } }
    cells.add { if let lateness = family.lateness { DurationText.appendBrief(lateness, to: &$0) } }
    cells.add { cell in
      if family.failing == 0 { return }
      cell.append(utf8: family.failing == 1 ? "1 job" : "\(family.failing) jobs")
    }
    cells.add { if family.notRun > 0 { $0.append(decimal: Int64(family.notRun)) } }
  }

  private static func append(stateOf job: JobEntry, to cell: inout [UInt8]) {
    let state = shownState(of: job)
    cell.append(utf8: state)
    if job.isStale { cell.append(utf8: ", stale") }
    for problem in job.view.problems { cell.append(utf8: ", \(problem.words)") }
    appendCounts(of: job, besides: state, to: &cell)
    if let percent = job.active.compactMap(\.progress?.percent).last {
      cell.append(utf8: " \(percent)%")
    }
    if job.view.isSuspendedBeside { cell.append(utf8: ", suspended") }
  }

  /// The job's state; if it is `running` but no run is, that of a run: `stopping`.
  private static func shownState(of job: JobEntry) -> String {
    let state = job.view.state.rawValue
    guard job.view.state == .running, !job.active.contains(where: { $0.state == .running }),
      let other = job.active.first(where: { $0.state == .stopping || $0.state == .killing })
    else { return state }
    return other.state.rawValue
  }

  /// Appends the number of runs if it is not one in the job's own state: `2×`, or `, 2 queued` for
  /// another state.
  private static func appendCounts(
    of job: JobEntry, besides shown: String, to cell: inout [UInt8]
  ) {
    guard !job.active.isEmpty else { return }
    let own = job.active.count { $0.state.rawValue == shown }
    if own > 1 { cell.append(utf8: " \(own)×") }
    guard own < job.active.count else { return }
    for state in RunState.Kind.allCases where state.rawValue != shown {
      let count = job.active.count { $0.state == state }
      if count > 0 { cell.append(utf8: ", \(count) \(state.rawValue)") }
    }
  }

  private static func append(nextOf view: JobView, at now: WallInstant, to cell: inout [UInt8]) {
    if let next = view.next {
      cell.append(utf8: "in ")
      DurationText.appendBrief(next.due - now, to: &cell)
    } else if let until = view.suspension?.until {
      cell.append(utf8: "resumes in ")
      DurationText.appendBrief(until - now, to: &cell)
    } else if let missing = view.gatheredEnds?.missing, let first = missing.first {
      cell.append(utf8: "after \(first.job)")
      if missing.count > 1 { cell.append(utf8: " and \(missing.count - 1) more") }
    } else if view.spec.timing.schedule.isManual, view.state != .disabled {
      cell.append(utf8: "by hand")
    }
  }

  private static func append(_ run: StoredRun, at now: WallInstant, to cell: inout [UInt8]) {
    let end = run.end
    cell.append(utf8: end?.outcome.rawValue ?? "")
    if let end, end.outcome != .succeeded || end.hasEndedWork {
      cell.append(UInt8(ascii: " "))
      // A plugin's reason must not control the terminal.
      let reason = String(end.reason.description.unicodeScalars.prefix(23))
      cell.append(utf8: reason.printable)
    }
    cell.append(UInt8(ascii: " "))
    guard let endedAt = run.endedAt else { return }
    DurationText.appendBrief(now - endedAt, to: &cell)
    cell.append(utf8: " ago")
  }
}

private struct JobSum {
  private var jobs = 0
  private var counts = [Int](repeating: 0, count: JobSum.names.count)

  private static let names = ["failing", "stale", "running", "suspended", "disabled"]

  mutating func add(_ job: JobEntry) {
    add(
      1, failing: job.isFailing ? 1 : 0, stale: job.isStale ? 1 : 0,
      running: job.view.state == .running ? 1 : 0, suspended: job.view.suspension == nil ? 0 : 1,
      disabled: job.view.state == .disabled ? 1 : 0)
  }

  mutating func add(_ family: JobFamily) {
    add(
      family.count, failing: family.failing, stale: family.stale,
      running: family.states[.running] ?? 0, suspended: family.states[.suspended] ?? 0,
      disabled: family.states[.disabled] ?? 0)
  }

  private mutating func add(
    _ count: Int, failing: Int, stale: Int, running: Int, suspended: Int, disabled: Int
  ) {
    jobs += count
    for (place, more) in [failing, stale, running, suspended, disabled].enumerated() {
      counts[place] += more
    }
  }

  var words: String {
    let parts = zip(Self.names, counts).compactMap { $1 > 0 ? "\($1) \($0)" : nil }
    return ([jobs == 1 ? "1 job" : "\(jobs) jobs"] + parts).joined(separator: ", ")
  }
}
