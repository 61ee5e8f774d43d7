extension ZoneRule {
  /// The years whose changes a zone keeps as transitions, so that no search computes them again.
  private static let writtenYears = 2000..<2100

  /// The changes of these years that are not before `limit`, in order. Empty for a rule without
  /// daylight time, and for one whose changes leave their own year.
  func transitions(notBefore limit: Int64) -> [Zone.Transition] {
    guard let daylight else { return [] }
    var transitions: [Zone.Transition] = []
    for year in Self.writtenYears {
      let (first, second) = changes(daylight, year: year)
      guard newYear(year) <= first, first < second, second < newYear(year + 1) else { return [] }
      for start in [first, second] where start >= limit {
        let offset = offsetSeconds(atEpochSeconds: start)
        transitions.append(
          Zone.Transition(
            start: start, offsetSeconds: offset, isDaylight: offset == daylight.offsetSeconds))
      }
    }
    return transitions
  }

  /// The start of a year in standard time, by which `offsetSeconds` tells one year from another.
  private func newYear(_ year: Int) -> Int64 {
    CivilTime.daysSinceEpoch(year: year, month: 1, day: 1) * 86_400 - Int64(standardOffsetSeconds)
  }
}

extension [Zone.Transition] {
  /// The number of them that start at or before an instant; they are in the order of their starts.
  func count(through seconds: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].start <= seconds { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
