import TaktTime

/// How many messages a run of a plugin may cost: a burst, refilled at a steady rate.
struct PluginFlood {
  /// So many at once.
  static let burst = 10_000.0
  /// So many more in a second.
  static let perSecond = 1000.0

  private var left = burst
  private var last: MonotonicInstant

  init(at now: MonotonicInstant) { last = now }

  /// Counts a message; false when it is one too many.
  mutating func take(at now: MonotonicInstant) -> Bool {
    left = min(Self.burst, left + (now - last) / .seconds(1) * Self.perSecond)
    last = now
    left -= 1
    return left >= 0
  }
}
