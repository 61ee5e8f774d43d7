import TaktCore
import TaktTime

/// A token bucket for lines: so many at once, and as many again within each period. What is beyond is
/// counted. Time is handed in.
struct LineBudget {
  private let period: Duration
  private let costNanoseconds: Int64
  /// When the bucket will be full again.
  private var fullAt = MonotonicInstant(nanoseconds: .min)
  private var refused = 0
  private var refusedSince = MonotonicInstant(nanoseconds: 0)

  init(_ rate: LineRate) {
    period = rate.period
    let span = rate.period.nanosecondsSaturated
    // Without any line allowed, one costs more than the bucket ever holds.
    costNanoseconds = rate.lines > 0 ? max(1, span / Int64(clamping: rate.lines)) : .max
  }

  /// Whether one more line may be logged; it counts as logged then.
  mutating func spend(at now: MonotonicInstant) -> Bool {
    let next = max(fullAt, now) + .nanoseconds(costNanoseconds)
    guard next - now <= period else { return false }
    fullAt = next
    return true
  }

  /// Counts lines that were not logged.
  mutating func refuse(_ lines: Int, at now: MonotonicInstant) {
    if refused == 0 { refusedSince = now }
    refused += lines
  }

  /// How many lines were refused, once a period has gone by since the first of them; nil before, and
  /// when there were none.
  mutating func popRefused(at now: MonotonicInstant) -> Int? {
    now - refusedSince >= period ? popRefused() : nil
  }

  /// How many lines were refused since it was last told; nil when there were none.
  mutating func popRefused() -> Int? {
    defer { refused = 0 }
    return refused > 0 ? refused : nil
  }
}
