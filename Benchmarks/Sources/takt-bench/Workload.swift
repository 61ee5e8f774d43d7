import Foundation

/// Jobs with intervals and first slots that a seed draws evenly.
struct Workload {
  /// Milliseconds by job.
  private(set) var intervals: [String: Int] = [:]
  private var firsts: [String: Int] = [:]

  init(jobCount: Int, seed: UInt64) {
    var state = seed
    func draw(_ range: ClosedRange<Int>) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + Int(state >> 33) % (range.upperBound - range.lowerBound + 1)
    }
    for index in 0..<jobCount {
      let interval = draw(500...5000)
      intervals["job\(index)"] = interval
      firsts["job\(index)"] = draw(0...interval)
    }
  }

  func yaml(leewayPercent: Int) -> String {
    var text = "scheduler: {max_running: 2000}\njobs:\n"
    for (name, interval) in intervals.sorted(by: { $0.key < $1.key }) {
      text +=
        "  \(name): {every: \(interval)ms, first: \(firsts[name] ?? 0)ms, leeway: \(leewayPercent)%, "
        + "use: log, with: {message: tick}}\n"
    }
    return text
  }
}
