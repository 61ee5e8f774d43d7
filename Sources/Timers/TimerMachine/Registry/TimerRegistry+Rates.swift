public import Dispatch

extension TimerRegistry {
  /// Debounces calls from many places under one identifier.
  ///
  /// A call with a different delay or edge ends the burst without acting and starts another. An
  /// identifier is remembered until `cancelRate` or `cancelAll`, so use fixed ones.
  ///
  /// - Parameters:
  ///   - identifier: the name of the burst, separate from the names of timers. A throttle with the
  ///     same identifier is replaced.
  ///   - delay: the quiet that ends a burst.
  ///   - edge: which call acts. Default `trailing`.
  ///   - queue: where the action runs, of a burst that this call begins. Default that of the
  ///     registry.
  ///   - action: runs if this is the call that acts.
  /// - Throws: `TimerError` for a negative or overlong delay.
  public func debounce(
    _ identifier: String, for delay: Duration, edge: Debouncer.Edge = .trailing,
    on queue: DispatchQueue? = nil, action: @escaping @Sendable () -> Void
  ) throws(TimerError) {
    let debouncer = try rates.debouncer(identifier, delay: delay, edge: edge) {
      () throws(TimerError) in
      try Debouncer(
        delay: delay, edge: edge, name: identifier, factory: factory, queue: queue ?? self.queue)
    }
    debouncer.call(action)
  }

  /// Throttles calls from many places under one identifier.
  ///
  /// A call with different settings starts over. An identifier is remembered until `cancelRate` or
  /// `cancelAll`, so use fixed ones.
  ///
  /// - Parameters:
  ///   - identifier: the name of the stream of calls, separate from the names of timers. A
  ///     debouncer with the same identifier is replaced.
  ///   - interval: the shortest time between two actions.
  ///   - keeping: what happens to the calls in between. Default `latest`.
  ///   - queue: where the action runs, unless a call before has named another. Default that of the
  ///     registry.
  ///   - action: runs if this call is let through.
  /// - Throws: `TimerError` for a negative or overlong interval.
  public func throttle(
    _ identifier: String, every interval: Duration, keeping: Throttle.Keeping = .latest,
    on queue: DispatchQueue? = nil, action: @escaping @Sendable () -> Void
  ) throws(TimerError) {
    let throttle = try rates.throttle(identifier, interval: interval, keeping: keeping) {
      () throws(TimerError) in
      try Throttle(
        interval: interval, keeping: keeping, name: identifier, factory: factory,
        queue: queue ?? self.queue)
    }
    throttle.call(action)
  }

  /// Cancels and removes the debouncer or throttle with this identifier.
  ///
  /// - Returns: false when there is none.
  @discardableResult
  public func cancelRate(_ identifier: String) -> Bool {
    rates.cancel(identifier)
  }
}
