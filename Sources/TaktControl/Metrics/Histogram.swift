import TaktCore
import TaktTime

/// How often values fell where: cumulative buckets, as Prometheus wants them.
struct Histogram {
  /// Bounds for seconds, from a millisecond to a minute.
  static let seconds: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
  ]
  /// Bounds for shares of what is allowed.
  static let shares: [Double] = [0.1, 0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.5, 2, 10]

  let bounds: [Double]
  private(set) var counts: [UInt64]
  private(set) var sum = 0.0

  init(_ bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  mutating func add(_ value: Double) {
    counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1
    sum += value
  }

  mutating func add(_ duration: Duration) { add(duration.inSeconds) }
}

extension Duration {
  /// The length in seconds.
  var inSeconds: Double { Double(nanosecondsSaturated) / 1e9 }
}
