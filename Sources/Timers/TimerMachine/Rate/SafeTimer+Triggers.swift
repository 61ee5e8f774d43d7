extension SafeTimer {
  /// Fires as `fireNow` does, but for any number of calls at most once in an interval. Legal from
  /// `running` and `suspended`.
  ///
  /// The first call fires at once. Calls before the interval is over share one fire at its end,
  /// which is dropped, and reported as `overtaken`, when the timer is suspended or cancelled first.
  /// The fires of the schedule come as without it.
  ///
  /// - Parameter interval: the shortest time between two such fires. Values outside the range of a
  ///   delay are clamped. With another interval than before, the call fires at once.
  @discardableResult
  public func fireNow(atMostEvery interval: Duration) -> TimerReply {
    noted(body.fireNow(through: trigger(of: interval)), .fireNow)
  }

  private func trigger(of interval: Duration) -> Trigger {
    if let known = body.core.withLock({ $0.extras?.trigger as? Trigger }),
      known.interval == interval
    {
      return known
    }
    let made = Trigger(interval, of: body)
    // The one before is destroyed outside the lock.
    let previous = body.core.withLock { core in
      let previous = core.madeExtras().trigger
      core.madeExtras().trigger = made
      return previous
    }
    _ = previous
    return made
  }
}

/// A throttle before the requested fires of a machine.
private final class Trigger: TriggerGate {
  let interval: Duration
  private let throttle: Throttle

  init(_ interval: Duration, of body: MachineBody) {
    self.interval = interval
    throttle = Throttle(
      clamping: interval, name: body.group.name, factory: body.group.factory,
      queue: body.group.queue)
  }

  func call(_ action: @escaping @Sendable () -> Void) { throttle.call(action) }
}
