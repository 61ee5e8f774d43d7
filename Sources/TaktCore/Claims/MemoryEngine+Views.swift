package import TaktTime

/// What there is to see.
extension MemoryEngine {
  /// What became of a slot: `claimed`, `open`, or its verdict and outcome; nil where nobody has
  /// heard of it.
  package func state(of slot: WallInstant, _ job: JobName) -> String? {
    guard let known = jobs[job] else { return nil }
    switch known.slots[slot]?.state {
    case .claimed?: return "claimed"
    case .open?: return "open"
    case .decided(let verdict, let outcome, _)?:
      return outcome.map { "\(verdict) \($0.rawValue)" } ?? "\(verdict)"
    case nil:
      return known.series.first { $0.slots.first <= slot && slot <= $0.slots.last }.map {
        "\($0.verdict)"
      }
    }
  }
}
