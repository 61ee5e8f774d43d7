import TaktCore
import TaktTime

/// A token bucket for lines: so many at once, and as many again within each period. Lines beyond
/// are counted. Time is passed in.
struct LineBudget {
  private let period: Duration
  private let costNanoseconds: Int64
  /// The time at which the bucket will be full again.
  private var fullAt = MonotonicInstant(nanoseconds: .min)
  private var refused = 0
  private var refusedSince = MonotonicInstant(nanoseconds: 0)

  init(_ rate: LineRate) {
    period = rate.period
    let span = rate.period.nanosecondsSaturated
    // If no line is allowed, one costs more than the bucket ever holds.
    costNanoseconds = rate.lines > 0 ? max(1, span / Int64(clamping: rate.lines)) : .max
  }

  /// True if one more line may be logged, which then counts as logged.
  mutating func spend(at now: MonotonicInstant) -> Bool {
    let next = max(fullAt, now) + .nanoseconds(costNanoseconds)
    guard next - now <= period else { return false }
    fullAt = next
    return true
  }

  mutating func refuse(_ lines: Int, at now: MonotonicInstant) {
    if refused == 0 { refusedSince = now }
    refused += lines
  }

  /// The number of refused lines, once a period has passed since the first of them; nil before, and
  /// if there were none.
  mutating func popRefused(at now: MonotonicInstant) -> Int? {
    now - refusedSince >= period ? popRefused() : nil
  }

  /// The number of lines refused since the last call; nil if there were none.
  mutating func popRefused() -> Int? {
    defer { refused = 0 }
    return refused > 0 ? refused : nil
  }
}
