/// The instants of one axis, in milliseconds: a grid, single instants, or both.
struct Track: Hashable, Sendable {
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

  var isEmpty: Bool { grid == nil && instants.isEmpty }

  /// The earliest instant after `mark`; nil when there is none.
  func next(after mark: Int64) -> Int64? {
    let single = instants.first { $0 > mark }
    guard let grid else { return single }
    let label = grid.next(after: mark)
    return min(label, single ?? label)
  }

  func has(_ label: Int64) -> Bool {
    instants.contains(label) || grid?.contains(label) == true
  }

  /// All instants after `mark` up to and with `end`: the grid's in one piece, however many they
  /// are, and each single one that is not the grid's.
  func pieces(after mark: Int64, through end: Int64) -> [SlotSeries] {
    var pieces: [SlotSeries] = []
    if let grid {
      let first = grid.next(after: mark)
      if first <= end {
        let steps = (end - first) / grid.interval
        pieces.append(
          SlotSeries(
            first: WallInstant(milliseconds: first),
            last: WallInstant(milliseconds: first + steps * grid.interval), count: Int(steps) + 1))
      }
    }
    for label in instants where label > mark && label <= end && grid?.contains(label) != true {
      pieces.append(SlotSeries(WallInstant(milliseconds: label)))
    }
    return pieces
  }

  /// The pieces without some of their instants: cut where one is missing.
  func pieces(_ pieces: [SlotSeries], without labels: [Int64]) -> [SlotSeries] {
    labels.reduce(pieces) { pieces, label in
      pieces.flatMap { piece -> [SlotSeries] in
        let instant = WallInstant(milliseconds: label)
        guard piece.first <= instant, instant <= piece.last, has(label) else { return [piece] }
        guard let interval = grid?.interval, piece.count > 1 else { return [] }
        let before = Int((label - piece.first.milliseconds) / interval)
        let after = piece.count - before - 1
        let step = Duration.milliseconds(interval)
        return [
          SlotSeries(first: piece.first, last: instant - step, count: before),
          SlotSeries(first: instant + step, last: piece.last, count: after),
        ].filter { $0.count > 0 }
      }
    }
  }
}
