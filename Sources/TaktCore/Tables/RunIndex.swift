import DequeModule

/// The places of runs in their table. Their numbers grow by one, so that those of the last ones are
/// a window without a search, for the gate's `slots`; the few that last much longer than others are
/// looked up.
struct RunIndex: Sendable {
  private static let none: Int32 = -1

  /// The number of the window's first run.
  private var base: UInt64 = 0
  private var window: Deque<Int32> = []
  private var olderRuns: [RunID: Int32] = [:]
  private(set) var count = 0

  /// Nil if it is not in the table.
  subscript(run: RunID) -> Int? {
    if run.number >= base {
      let offset = run.number - base
      guard offset < UInt64(window.count) else { return nil }
      let place = window[Int(offset)]
      return place == Self.none ? nil : Int(place)
    }
    return olderRuns.isEmpty ? nil : olderRuns[run].map(Int.init)
  }

  /// Adds a run that is newer than all before it.
  mutating func append(_ run: RunID, at place: Int) {
    if window.isEmpty { base = run.number }
    // Numbers may be left out.
    while base + UInt64(window.count) < run.number { window.append(Self.none) }
    window.append(Int32(place))
    count += 1
    if isTooLong { trim() }
  }

  mutating func remove(_ run: RunID) {
    guard self[run] != nil else { return }
    count -= 1
    if run.number < base {
      olderRuns[run] = nil
    } else {
      window[Int(run.number - base)] = Self.none
      trim()
    }
  }

  /// Keeps the window small: ended runs at its start leave it, and if there are many times as many
  /// numbers as runs, active ones leave it as well.
  private mutating func trim() {
    while let place = window.first, place == Self.none || isTooLong {
      if place != Self.none { olderRuns[RunID(base)] = place }
      window.removeFirst()
      base += 1
    }
  }

  private var isTooLong: Bool { window.count > 64 + 8 * count }

  /// The oldest first.
  var runs: [RunID] {
    olderRuns.keys.sorted()
      + window.indices.filter { window[$0] != Self.none }.map { RunID(base + UInt64($0)) }
  }
}
