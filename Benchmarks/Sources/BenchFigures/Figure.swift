/// A measured value: the median of its repetitions, the lowest and the highest.
package struct Figure: Encodable {
  package var name: String
  package var unit: String
  package var value: Double
  package var low: Double
  package var high: Double
  package var samples: Int
  /// The number of jobs or timers, in a figure that shows growth.
  package var size: Int?
  /// The measured program, unless it is takt.
  package var peer: String?
  /// takt's value divided by the peer's.
  package var ratio: Double?
  /// Bounds of the ratio if there is one, otherwise of the value.
  package var atMost: Double?
  package var atLeast: Double?

  package init(
    _ name: String, _ unit: String, _ repetitions: [Double], size: Int? = nil, peer: String? = nil,
    ratios: [Double] = [], atMost: Double? = nil, atLeast: Double? = nil
  ) {
    self.name = name
    self.unit = unit
    self.value = Self.median(repetitions)
    self.low = repetitions.min() ?? 0
    self.high = repetitions.max() ?? 0
    self.samples = repetitions.count
    self.size = size
    self.peer = peer
    self.ratio = ratios.isEmpty ? nil : Self.median(ratios)
    self.atMost = atMost
    self.atLeast = atLeast
  }

  /// The middle value, or the mean of the two in the middle.
  package static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
