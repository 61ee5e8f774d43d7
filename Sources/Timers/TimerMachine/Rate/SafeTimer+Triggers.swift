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
    noted(body.fireNow(through: trigger(of: interval)), .fireNowAtMostEvery)
  }

  private func trigger(of interval: Duration) -> Trigger {
    if let known = body.core.withLock({ $0.trigger(of: interval) }) { return known }
    let made = Trigger(interval, of: body)
    let (trigger, previous) = body.core.withLock { core -> (Trigger, (any TriggerGate)?) in
      // Another thread's may be there by now; one that is replaced drops what waits in it.
      if let known = core.trigger(of: interval) { return (known, nil) }
      let extras = core.madeExtras()
      guard let rationed = extras.rationed else {
        extras.rationed = RationedFires(gate: made)
        return (made, nil)
      }
      let previous = rationed.gate
      rationed.gate = made
      return (made, previous)
    }
    // Destroyed outside the lock.
    _ = previous
    return trigger
  }
}

extension MachineCore {
  fileprivate func trigger(of interval: Duration) -> Trigger? {
    (extras?.rationed?.gate as? Trigger).flatMap { $0.interval == interval ? $0 : nil }
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
