/// The actions of a debouncer or throttle that wait for its timer, under the lock of their owner.
///
/// The machine's handler takes them out under that lock: so they never overlap, and what `dropAll`
/// finds never begins.
struct PendingAction: Sendable {
  typealias Action = @Sendable () -> Void

  /// Is done as soon as the queue has come to it.
  var now: Action?
  /// Is done when the timer is due.
  var later: Action?
  /// Of the timer that the later one waits for.
  var generation: UInt64 = 0

  /// Takes out what is done as soon as possible.
  mutating func popDue() -> Action? {
    defer { now = nil }
    return now
  }

  /// Whether a fire is that of the timer that the later action waits for.
  func isAwaiting(_ fire: TimerFire) -> Bool { fire.isLast && generation == fire.generation }

  /// Sets the later action.
  ///
  /// - Returns: the previous one, for the caller to destroy outside the lock: what it holds may call
  ///   back as it goes.
  mutating func replaceLater(with action: Action?) -> Action? {
    defer { later = action }
    return later
  }

  /// - Returns: what waited, for the caller to destroy outside the lock.
  mutating func dropAll() -> PendingAction {
    defer { (now, later) = (nil, nil) }
    return self
  }
}
