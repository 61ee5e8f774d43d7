import TaktTime

/// A change that is not told yet, since more may follow.
struct SettlingChange {
  /// So many times the debounce a change waits at most, lest a file that never stops growing is
  /// never told.
  static let patience = 10
  /// Nobody waits longer; it keeps the arithmetic within its range.
  private static let debounceMax = Duration.seconds(10 * 365 * 86_400)

  private let debounce: Duration
  private let first: MonotonicInstant
  private var last: MonotonicInstant

  /// A change that has just been seen.
  init(debounce: Duration, at now: MonotonicInstant) {
    self.debounce = min(max(debounce, .zero), Self.debounceMax)
    first = now
    last = now
  }

  /// The same change, by another debounce.
  func with(debounce: Duration) -> SettlingChange {
    var other = SettlingChange(debounce: debounce, at: first)
    other.last = last
    return other
  }

  /// Another change has been seen.
  mutating func goOn(at now: MonotonicInstant) {
    last = max(last, now)
  }

  /// When it is to be told, if nothing follows.
  var due: MonotonicInstant { min(last + debounce, first + debounce * Self.patience) }
}
