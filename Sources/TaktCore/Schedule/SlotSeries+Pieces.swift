import TaktTime

extension SlotSeries {
  /// Series in their order, cut where a single slot stands between the slots of another, so that
  /// none reaches over another's slots.
  ///
  /// - Parameters:
  ///   - slot: one more slot that none is to reach over.
  ///   - track: what the slots of a series are instants of.
  static func disjoint(
    _ all: [SlotSeries], from slot: WallInstant? = nil, on track: (SlotSeries) -> Track
  ) -> [SlotSeries] {
    let singles = all.filter { $0.count == 1 }.map(\.first) + [slot].compactMap(\.self)
    guard all.contains(where: { $0.count > 1 }), !singles.isEmpty else {
      return all.sorted { $0.first < $1.first }
    }
    let cuts = singles.sorted()
    return all.flatMap { series -> [SlotSeries] in
      guard series.count > 1 else { return [series] }
      let track = track(series)
      var pieces: [SlotSeries] = []
      var rest: SlotSeries? = series
      for cut in cuts {
        guard let piece = rest else { break }
        let (before, after) = track.split(piece, before: cut.milliseconds)
        pieces += [before].compactMap(\.self)
        rest = after
      }
      return pieces + [rest].compactMap(\.self)
    }.sorted { $0.first < $1.first }
  }
}
