/// The instants of one axis, in milliseconds: a grid, single instants, or both. Counting takes one
/// step, however long the stretch.
struct Track: Sendable {
  /// `origin + k · interval`.
  struct Grid: Hashable, Sendable {
    var origin: Int64
    var interval: Int64

    func next(after mark: Int64) -> Int64 {
      origin + ((mark - origin).flooredQuotient(by: interval) + 1) * interval
    }

    func contains(_ label: Int64) -> Bool {
      (label - origin).flooredRemainder(by: interval) == 0
    }
  }

  var grid: Grid?
  /// Ascending.
  var instants: [Int64] = []
  /// Instants of the grid that the other axis has decided already.
  var without: [Int64] = []

  /// The earliest instant after `mark`; nil when there is none.
  func next(after mark: Int64) -> Int64? {
    let single = instants.first { $0 > mark }
    guard let grid else { return single }
    var label = grid.next(after: mark)
    while without.contains(label) { label = grid.next(after: label) }
    return min(label, single ?? label)
  }

  func has(_ label: Int64) -> Bool {
    instants.contains(label) || (grid?.contains(label) == true && !without.contains(label))
  }

  /// All instants after `mark` up to and with `end`; nil when there are none.
  func series(after mark: Int64, through end: Int64) -> SlotSeries? {
    var singles = instants.filter { $0 > mark && $0 <= end }
    guard let grid else { return Self.series(of: singles) }
    singles.removeAll(where: grid.contains)
    guard let first = next(onGrid: grid, after: mark), first <= end else {
      return Self.series(of: singles)
    }
    let steps = (end - first) / grid.interval
    var last = first + steps * grid.interval
    while without.contains(last) { last -= grid.interval }
    let left = without.count { $0 > first && $0 <= end && grid.contains($0) }
    return SlotSeries(
      first: WallInstant(milliseconds: first), last: WallInstant(milliseconds: last),
      count: Int(steps) + 1 - left
    ).joined(Self.series(of: singles))
  }

  private func next(onGrid grid: Grid, after mark: Int64) -> Int64? {
    Track(grid: grid, without: without).next(after: mark)
  }

  private static func series(of labels: [Int64]) -> SlotSeries? {
    guard let first = labels.first, let last = labels.last else { return nil }
    return SlotSeries(
      first: WallInstant(milliseconds: first), last: WallInstant(milliseconds: last),
      count: labels.count)
  }
}
