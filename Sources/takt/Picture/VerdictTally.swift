/// How many slots came to each verdict.
struct VerdictTally: Equatable, Sendable {
  private var counts = [Int](repeating: 0, count: Timeline.Verdict.allCases.count)

  /// How many slots there are.
  var total: Int { counts.reduce(0, +) }
  /// How many slots came to anything but a run.
  var notRan: Int { total - self[.ran] }

  /// A tally of nothing.
  init() {}

  /// The tally of those slots that lie on the axis.
  init(_ slots: [Timeline.Mark], on scale: PictureScale) {
    for slot in slots where scale.contains(slot.at) { counts[slot.verdict.ordinal] += 1 }
  }

  /// How many slots came to this verdict.
  subscript(verdict: Timeline.Verdict) -> Int { counts[verdict.ordinal] }

  /// Adds another tally to this one.
  static func += (left: inout VerdictTally, right: VerdictTally) {
    for place in left.counts.indices { left.counts[place] += right.counts[place] }
  }

  /// `144 slots: 140 ran, 4 missed`.
  var text: String {
    let parts = Timeline.Verdict.allCases.filter { self[$0] > 0 }
      .map { "\(PictureText.count(self[$0])) \($0.rawValue)" }
    let slots = PictureText.count(total, "slot")
    return parts.isEmpty ? slots : "\(slots): \(parts.joined(separator: ", "))"
  }
}
