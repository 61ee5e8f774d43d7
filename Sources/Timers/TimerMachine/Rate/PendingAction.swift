/// The actions of a debouncer or throttle that wait for its timer, under the lock of their owner.
///
/// The machine's handler takes them out under that lock: so they never overlap, and an action that
/// `dropAll` removes never begins.
struct PendingAction: Sendable {
  typealias Action = @Sendable () -> Void

  /// Performed as soon as the queue reaches it.
  var now: Action?
  /// Performed when the timer is due.
  var later: Action?
  /// The generation of the timer of the later action.
  var generation: UInt64 = 0

  /// Takes out the action to perform as soon as possible.
  mutating func popDue() -> Action? {
    defer { now = nil }
    return now
  }

  /// True if a fire is that of the timer of the later action.
  func isAwaiting(_ fire: TimerFire) -> Bool { fire.isLast && generation == fire.generation }

  /// Sets the later action.
  ///
  /// - Returns: the previous one, for the caller to destroy outside the lock: its contents may call
  ///   back when they are destroyed.
  mutating func replaceLater(with action: Action?) -> Action? {
    defer { later = action }
    return later
  }

  /// - Returns: the waiting actions, for the caller to destroy outside the lock.
  mutating func dropAll() -> PendingAction {
    defer { (now, later) = (nil, nil) }
    return self
  }
}
