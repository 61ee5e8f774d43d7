import TaktCore
package import TaktTime

/// Jobs as a table that fits a terminal. It is built job by job, without a string per cell, because it
/// may have a hundred thousand rows.
package struct JobTable: Sendable {
  private static let titles = ["JOB", "STATE", "NEXT", "LAST", "LATE", "FAILED"]
  private static let nameWidthMin = 12

  private let width: Int
  private let now: WallInstant
  private var cells = TableCells(columnCount: JobTable.titles.count)

  package init(width: Int, now: WallInstant) {
    self.width = width
    self.now = now
    for title in Self.titles { cells.add { $0.append(utf8: title) } }
  }

  /// The table, as UTF-8.
  package var text: [UInt8] {
    var widths = cells.columnWidths
    // What does not fit is cut off at the names, which are longest.
    let excess = widths.reduce(0, +) + 2 * (widths.count - 1) - width
    if excess > 0 { widths[0] = max(Self.nameWidthMin, widths[0] - excess) }
    return cells.text(widths: widths)
  }

  package mutating func add(_ job: JobEntry) {
    let (view, now) = (job.view, now)
    cells.add { $0.append(utf8: view.spec.name.text) }
    cells.add { Self.append(stateOf: job, to: &$0) }
    cells.add { Self.append(nextOf: view, at: now, to: &$0) }
    cells.add { if let last = job.history.last { Self.append(last, at: now, to: &$0) } }
    cells.add { if let lateness = job.history.lateness { Self.append(short: lateness, to: &$0) } }
    cells.add { cell in
      if view.failureStreak == 0 { return }
      cell.append(decimal: Int64(view.failureStreak))
      cell.append(utf8: "×")
    }
  }

  /// Adds the jobs of one `for_each` as a row.
  mutating func add(_ family: JobFamily) {
    let now = now
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
      Self.append(short: next.due - now, to: &cell)
    }
    cells.add { if let last = family.last { Self.append(last, at: now, to: &$0) } }
    cells.add { if let lateness = family.lateness { Self.append(short: lateness, to: &$0) } }
    cells.add { cell in
      if family.failing == 0 { return }
      cell.append(utf8: family.failing == 1 ? "1 job" : "\(family.failing) jobs")
    }
  }

  private static func append(stateOf job: JobEntry, to cell: inout [UInt8]) {
    let state = shownState(of: job)
    cell.append(utf8: state)
    if job.view.staleSince != nil { cell.append(utf8: ", stale") }
    appendCounts(of: job, besides: state, to: &cell)
    if let percent = job.active.compactMap(\.progress?.percent).last {
      cell.append(utf8: " \(percent)%")
    }
    if job.view.isSuspendedBeside { cell.append(utf8: ", suspended") }
  }

  /// The job's state; where it is `running` and no run is, that of a run: `stopping`.
  private static func shownState(of job: JobEntry) -> String {
    let state = job.view.state.rawValue
    guard job.view.state == .running, !job.active.contains(where: { $0.state == .running }),
      let other = job.active.first(where: { $0.state == .stopping || $0.state == .killing })
    else { return state }
    return other.state.rawValue
  }

  /// Appends how many runs there are where they are not one in the job's own state: `2×`, or
  /// `, 2 queued` of those in another.
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

  private static func append(
    nextOf view: JobView, at now: WallInstant, to cell: inout [UInt8]
  ) {
    if let next = view.next {
      cell.append(utf8: "in ")
      append(short: next.due - now, to: &cell)
    } else if let until = view.suspension?.until {
      cell.append(utf8: "resumes in ")
      append(short: until - now, to: &cell)
    } else if let missing = view.gatheredEnds?.missing, let first = missing.first {
      cell.append(utf8: "after \(first.job)")
      if missing.count > 1 { cell.append(utf8: " and \(missing.count - 1) more") }
    }
  }

  private static func append(
    _ run: StoredRun, at now: WallInstant, to cell: inout [UInt8]
  ) {
    let end = run.end
    cell.append(utf8: end?.outcome.rawValue ?? "")
    if let end, end.outcome != .succeeded {
      cell.append(UInt8(ascii: " "))
      // What a plugin gave as its reason is not to steer a terminal.
      let reason = String(end.reason.description.unicodeScalars.prefix(23))
      cell.append(utf8: reason.printable)
    }
    cell.append(UInt8(ascii: " "))
    guard let endedAt = run.endedAt else { return }
    append(short: now - endedAt, to: &cell)
    cell.append(utf8: " ago")
  }

  /// Appends a length of time in at most two units.
  static func append(short duration: Duration, to cell: inout [UInt8]) {
    let milliseconds = max(0, duration.milliseconds)
    let seconds = milliseconds / 1000
    func append(_ number: Int64, _ unit: String) {
      cell.append(decimal: number)
      cell.append(utf8: unit)
    }
    switch seconds {
    case 0: append(milliseconds, "ms")
    case ..<60: append(seconds, "s")
    case ..<3600:
      append(seconds / 60, "m")
      append(seconds % 60, "s")
    case ..<86_400:
      append(seconds / 3600, "h")
      append(seconds % 3600 / 60, "m")
    default:
      append(seconds / 86_400, "d")
      append(seconds % 86_400 / 3600, "h")
    }
  }
}

/// The cells of a table, row by row, in one piece of memory. An empty one is shown as `-`.
private struct TableCells {
  private let columnCount: Int
  private var bytes: [UInt8] = []
  /// Where each cell ends, and how many characters it has.
  private var cells: [(end: Int, width: Int)] = []

  init(columnCount: Int) { self.columnCount = columnCount }

  /// Adds the next cell of the row, or the first of the next row.
  mutating func add(_ write: (inout [UInt8]) -> Void) {
    let start = bytes.count
    write(&bytes)
    if bytes.count == start { bytes.append(UInt8(ascii: "-")) }
    let isASCII = bytes[start...].allSatisfy { $0 < 0x80 }
    let width =
      isASCII ? bytes.count - start : String(decoding: bytes[start...], as: UTF8.self).count
    cells.append((bytes.count, width))
  }

  /// The width of the widest cell of each column.
  var columnWidths: [Int] {
    var widths = [Int](repeating: 0, count: columnCount)
    for index in cells.indices {
      widths[index % columnCount] = max(widths[index % columnCount], cells[index].width)
    }
    return widths
  }

  /// All rows, with two spaces between the columns; what is wider than its column is cut off.
  func text(widths: [Int]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(cells.count / columnCount * (widths.reduce(0, +) + 2 * columnCount))
    var start = 0
    for index in cells.indices {
      let (cell, width) = (cells[index], widths[index % columnCount])
      if cell.width > width {
        let whole = String(decoding: bytes[start..<cell.end], as: UTF8.self)
        text.append(utf8: String(whole.prefix(width - 1)) + "…")
      } else {
        text += bytes[start..<cell.end]
      }
      start = cell.end
      if (index + 1) % columnCount == 0 {
        while text.last == UInt8(ascii: " ") { text.removeLast() }
        text.append(UInt8(ascii: "\n"))
      } else {
        let gap = max(0, width - cell.width) + 2
        text.append(contentsOf: repeatElement(UInt8(ascii: " "), count: gap))
      }
    }
    return text
  }
}
