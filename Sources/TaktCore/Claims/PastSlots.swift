package import TaktTime

/// Decided slots of a job, compacted: slots at equal distances with one kind of verdict are one
/// range.
package struct PastSlots: Hashable, Sendable {
  /// Slots at equal distances.
  package struct Range: Hashable, Sendable {
    package var first: WallInstant
    package var last: WallInstant
    package var count: Int
    package var kind: Verdict.Kind

    package init(first: WallInstant, last: WallInstant, count: Int, kind: Verdict.Kind) {
      self.first = first
      self.last = last
      self.count = count
      self.kind = kind
    }

    /// Nil if there is one slot.
    private var step: Int64? {
      count > 1 ? (last.nanoseconds &- first.nanoseconds) / Int64(count - 1) : nil
    }

    package func contains(_ slot: WallInstant) -> Bool {
      guard first <= slot, slot <= last else { return false }
      guard let step, step > 0 else { return slot == first }
      return (slot.nanoseconds &- first.nanoseconds) % step == 0
    }

    package func count(after instant: WallInstant) -> Int {
      guard last > instant else { return 0 }
      guard first <= instant, let step, step > 0 else { return count }
      let passed = instant.nanoseconds.subtractingSaturated(first.nanoseconds) / step
      return max(0, count - 1 - Int(passed))
    }

    /// Adds a later slot; false if it does not fit.
    fileprivate mutating func extend(to slot: WallInstant) -> Bool {
      guard slot > last else { return false }
      // The span must fit into an `Int64` of nanoseconds.
      guard !slot.nanoseconds.subtractingReportingOverflow(first.nanoseconds).overflow else {
        return false
      }
      let distance = slot.nanoseconds - last.nanoseconds
      guard step ?? distance == distance else { return false }
      last = slot
      count += 1
      return true
    }
  }

  /// By their first slots, ascending.
  package private(set) var ranges: [Range] = []

  package init() {}

  package init(_ ranges: [Range]) { self.ranges = ranges.sorted { $0.first < $1.first } }

  package func contains(_ slot: WallInstant) -> Bool {
    ranges.contains { $0.contains(slot) }
  }

  package mutating func insert(_ slot: WallInstant, _ kind: Verdict.Kind) {
    // The kind's newest range: slots come nearly in order.
    if let index = ranges.lastIndex(where: { $0.kind == kind }), ranges[index].extend(to: slot) {
      return
    }
    let place = ranges.firstIndex { $0.first > slot } ?? ranges.count
    ranges.insert(Range(first: slot, last: slot, count: 1, kind: kind), at: place)
  }

  /// Drops the ranges that end first until `count` are left, and returns the last slot of those
  /// dropped.
  package mutating func drop(to count: Int) -> WallInstant? {
    guard ranges.count > count else { return nil }
    let byEnd = ranges.map(\.last).sorted()
    let end = byEnd[ranges.count - count - 1]
    ranges.removeAll { $0.last <= end }
    return end
  }
}
