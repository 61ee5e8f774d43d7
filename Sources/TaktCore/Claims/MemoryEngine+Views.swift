package import TaktTime

extension MemoryEngine {
  /// `claimed`, `open`, or the verdict and outcome of a slot; nil for an unknown slot.
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
