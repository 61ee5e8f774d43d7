import TaktCore
import TaktTime

/// Counts since the daemon started.
struct Metrics {
  private(set) var runs: [Outcome: UInt64] = [:]
  private(set) var hooks: [Outcome: UInt64] = [:]
  private(set) var slots: [SlotLabel: UInt64] = [:]
  private(set) var lateness: [QoS: Histogram] = [:]
  private(set) var latenessShare = Histogram(Histogram.shares)
  private(set) var runDuration = Histogram(Self.durations)
  var startLatency = Histogram(Histogram.seconds)
  private(set) var reloadsApplied: UInt64 = 0
  private(set) var reloadsRefused: UInt64 = 0
  /// Errors and warnings in the files of reloads.
  private(set) var diagnostics: [Diagnostic.Severity: UInt64] = [:]
  private(set) var pluginRestarts: [String: UInt64] = [:]

  struct SlotLabel: Hashable {
    var verdict: String
    var reason: String

    /// Every label, in order: a counter that first appears with an event has no rate for it.
    static let all: [Self] =
      Verdict.Kind.allCases.flatMap { kind in
        let reasons: [String] =
          switch kind {
          case .ran, .coalesced: [""]
          case .skipped: SkipReason.allCases.map(\.rawValue)
          case .missed: MissCause.allCases.map(\.rawValue)
          case .cancelled: CancelReason.allCases.map(\.rawValue)
          }
        return reasons.map { Self(verdict: kind.rawValue, reason: $0) }
      }.sorted { ($0.verdict, $0.reason) < ($1.verdict, $1.reason) }
  }

  /// From 10 milliseconds to 4 hours.
  static let durations: [Double] = [0.01, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400]
  /// Further plugins share a label.
  private static let pluginsMax = 100

  mutating func count(_ record: VerdictRecord) {
    let verdict = record.verdict
    let reason: String
    switch verdict {
    case .ran, .coalesced: reason = ""
    case .skipped, .missed, .cancelled: reason = verdict.detail ?? ""
    }
    slots[SlotLabel(verdict: verdict.name, reason: reason), default: 0] += UInt64(
      record.slots.count)
  }

  mutating func count(_ record: RunRecord) {
    guard record.head.kind != .hook else {
      hooks[record.end.outcome, default: 0] += 1
      return
    }
    runs[record.end.outcome, default: 0] += 1
    if record.attempts > 0 { runDuration.add(record.duration) }
  }

  mutating func count(_ start: SlotStart) {
    lateness[start.qos, default: Histogram(Histogram.seconds)].add(max(start.lateness, .zero))
    guard start.window > .zero else { return }
    latenessShare.add(max(start.lateness, .zero).inSeconds / start.window.inSeconds)
  }

  mutating func count(_ report: ReloadReport) {
    if report.plan == nil { reloadsRefused += 1 } else { reloadsApplied += 1 }
    for diagnostic in report.diagnostics { diagnostics[diagnostic.severity, default: 0] += 1 }
  }

  mutating func countRestart(of plugin: String) {
    let isKnown = pluginRestarts[plugin] != nil || pluginRestarts.count < Self.pluginsMax
    pluginRestarts[isKnown ? plugin : "", default: 0] += 1
  }
}

/// A histogram with cumulative buckets for Prometheus.
struct Histogram {
  /// From a millisecond to a minute.
  static let seconds: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
  ]
  /// Bounds for shares of an allowance.
  static let shares: [Double] = [0.1, 0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.5, 2, 10]

  let bounds: [Double]
  private(set) var counts: [UInt64]
  private(set) var sum = 0.0

  init(_ bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// From counts made elsewhere: one for each bound, and one for values beyond the last.
  init(_ bounds: [Double], counts: [UInt64], sum: Double) {
    (self.bounds, self.counts, self.sum) = (bounds, counts, sum)
  }

  static func place(of value: Double, in bounds: [Double]) -> Int {
    bounds.firstIndex { value <= $0 } ?? bounds.count
  }

  mutating func add(_ value: Double) {
    counts[Self.place(of: value, in: bounds)] += 1
    sum += value
  }

  mutating func add(_ duration: Duration) { add(duration.inSeconds) }
}

extension Duration {
  var inSeconds: Double { Double(nanosecondsSaturated) / 1e9 }
}
