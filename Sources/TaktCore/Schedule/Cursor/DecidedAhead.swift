/// Decisions of one timeline ahead of the other.
///
/// The clocks of the two timelines run together until somebody steps the wall. A decision of one
/// timeline ahead of the other is remembered until the other has passed it too, so that an instant
/// which both name gets one verdict.
struct DecidedAhead: Hashable, Sendable {
  /// The most ranges of unchanged schedule remembered; the oldest goes first.
  static let memoryMax = 64

  private struct InstantRange: Hashable, Sendable {
    var instantSet: InstantSet
    var after: ScheduleInstant
    var through: ScheduleInstant
  }

  private var ranges: [InstantRange] = []

  init() {}

  /// From the text in the ledger, without its unreadable parts.
  init(text: some StringProtocol) {
    ranges = text.split(separator: ";").compactMap { piece in
      let numbers = piece.split(separator: " ").compactMap { Int64($0) }
      // Numbers that no clock shows are invalid, and could not be added.
      guard numbers.count >= 4, numbers.allSatisfy({ $0.magnitude < 1 << 52 }) else { return nil }
      let instant = { ScheduleInstant(milliseconds: numbers[$0]) }
      let grid =
        numbers[3] > 0 ? InstantSet.Grid(origin: instant(2), interval: numbers[3]) : nil
      return InstantRange(
        instantSet: InstantSet(grid: grid, instants: (4..<numbers.count).map(instant)),
        after: instant(0), through: instant(1))
    }
  }

  var isEmpty: Bool { ranges.isEmpty }

  /// Nothing later is decided; `min` if nothing is.
  var end: ScheduleInstant { ranges.lazy.map(\.through).max() ?? .min }

  /// The form in the ledger: of each range its ends, its grid, and the instants in it.
  var text: String {
    ranges.map { range in
      let instants = range.instantSet.instants.filter { range.after < $0 && $0 <= range.through }
      let grid = range.instantSet.grid
      let ends = [range.after, range.through, grid?.origin ?? 0].map(\.milliseconds)
      return (ends + [grid?.interval ?? 0] + instants.map(\.milliseconds)).map(String.init)
        .joined(separator: " ")
    }.joined(separator: ";")
  }

  /// All of `instantSet` up to `end` is decided, where the timeline is now; the other timeline is
  /// at `otherMark`.
  mutating func advance(
    _ mark: inout ScheduleInstant, to end: ScheduleInstant, on instantSet: InstantSet,
    otherMark: ScheduleInstant
  ) {
    ranges.removeAll { $0.through <= otherMark }
    guard end > mark else { return }
    // The bounds of the set are in the range itself, which is kept without them.
    let after = max(mark, instantSet.lowest == .min ? mark : instantSet.lowest - 1)
    let through = min(end, instantSet.highest)
    if end > otherMark, !instantSet.isEmpty, after < through {
      if let last = ranges.last, last.instantSet == instantSet, last.through == mark {
        ranges[ranges.count - 1].through = through
      } else {
        ranges.append(InstantRange(instantSet: instantSet, after: after, through: through))
      }
      if ranges.count > Self.memoryMax { ranges.removeFirst() }
    }
    mark = end
  }

  /// A single instant is decided, wherever the timeline is.
  mutating func remember(_ instant: ScheduleInstant) {
    ranges.append(
      InstantRange(
        instantSet: InstantSet(instants: [instant]), after: instant - 1, through: instant))
    if ranges.count > Self.memoryMax { ranges.removeFirst() }
  }

  /// True if the other timeline, which names this instant too, comes too late.
  func hasDecided(_ instant: ScheduleInstant) -> Bool {
    ranges.contains {
      $0.after < instant && instant <= $0.through && $0.instantSet.has(instant)
    }
  }

  /// The instants of a set of the other timeline, in a range, that are decided here.
  func decided(of instantSet: InstantSet, after mark: ScheduleInstant, through end: ScheduleInstant)
    -> [ScheduleInstant]
  {
    ranges.flatMap { range -> [ScheduleInstant] in
      var instants: [ScheduleInstant] = []
      var instant = range.instantSet.next(after: max(mark, range.after))
      while let found = instant, found <= min(end, range.through) {
        if instantSet.has(found) { instants.append(found) }
        instant = range.instantSet.next(after: found)
      }
      return instants
    }
  }
}
