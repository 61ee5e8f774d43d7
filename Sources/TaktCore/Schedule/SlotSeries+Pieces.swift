/// Pieces of an even grid.
extension SlotSeries {
  /// From one slot to the next; zero for a single slot.
  private var step: Int64 {
    count > 1 ? (last.milliseconds - first.milliseconds) / Int64(count - 1) : 0
  }

  /// The slots before an instant, and those from it on.
  func split(before instant: WallInstant) -> (before: SlotSeries?, after: SlotSeries?) {
    if instant <= first { return (nil, self) }
    if instant > last { return (self, nil) }
    let before = Int((instant.milliseconds - 1 - first.milliseconds) / step) + 1
    return (piece(0..<before), piece(before..<count))
  }

  /// Some of the slots; nil for none.
  private func piece(_ range: Range<Int>) -> SlotSeries? {
    guard !range.isEmpty else { return nil }
    return SlotSeries(
      first: WallInstant(milliseconds: first.milliseconds + Int64(range.lowerBound) * step),
      last: WallInstant(milliseconds: first.milliseconds + Int64(range.upperBound - 1) * step),
      count: range.count)
  }

  /// The series in their order, cut where a single slot stands between the slots of another, so that
  /// none reaches over another's slots.
  ///
  /// - Parameter slot: one more slot that none is to reach over.
  static func disjoint(_ all: [SlotSeries], from slot: WallInstant? = nil) -> [SlotSeries] {
    let singles = all.filter { $0.count == 1 }.map(\.first) + [slot].compactMap(\.self)
    guard all.contains(where: { $0.count > 1 }), !singles.isEmpty else {
      return all.sorted { $0.first < $1.first }
    }
    let cuts = singles.sorted()
    return all.flatMap { series -> [SlotSeries] in
      guard series.count > 1 else { return [series] }
      var pieces: [SlotSeries] = []
      var rest: SlotSeries? = series
      for cut in cuts {
        guard let (before, after) = rest?.split(before: cut) else { break }
        pieces += [before].compactMap(\.self)
        rest = after
      }
      return pieces + [rest].compactMap(\.self)
    }.sorted { $0.first < $1.first }
  }

  /// The newest slots of all series, ascending, and what is left of the series without them.
  static func takeNewest(
    _ wanted: Int, of all: [SlotSeries]
  ) -> (rest: [SlotSeries], newest: [WallInstant]) {
    var rest: [SlotSeries] = []
    var newest: [WallInstant] = []
    for series in all.sorted(by: { $0.last > $1.last }) {
      let taken = min(wanted - newest.count, series.count)
      for index in 0..<taken {
        newest.append(
          WallInstant(milliseconds: series.last.milliseconds - Int64(index) * series.step))
      }
      if let left = series.piece(0..<(series.count - taken)) { rest.append(left) }
    }
    return (rest.sorted { $0.first < $1.first }, newest.sorted())
  }
}
