extension TimerRegistry {
  /// Debounces calls from many places under one identifier.
  ///
  /// A call with another delay or edge than the last one ends the burst without acting and begins
  /// another. An identifier is remembered until `cancelRate` or `cancelAll`, so use fixed ones.
  ///
  /// - Parameters:
  ///   - identifier: names the burst. Timers have names of their own; a throttle of the same
  ///     identifier is replaced.
  ///   - delay: the quiet that ends a burst.
  ///   - edge: which call acts. Default `trailing`.
  ///   - action: what is done if this is the call that acts.
  /// - Throws: `TimerError` for a negative or overlong delay.
  public func debounce(
    _ identifier: String, for delay: Duration, edge: Debouncer.Edge = .trailing,
    action: @escaping @Sendable () -> Void
  ) throws(TimerError) {
    let debouncer = try rates.debouncer(identifier, delay: delay, edge: edge) {
      () throws(TimerError) in
      try Debouncer(delay: delay, edge: edge, name: identifier, factory: factory, queue: queue)
    }
    debouncer.call(action)
  }

  /// Throttles calls from many places under one identifier.
  ///
  /// A call with other settings than the last one begins anew. An identifier is remembered until
  /// `cancelRate` or `cancelAll`, so use fixed ones.
  ///
  /// - Parameters:
  ///   - identifier: names the stream of calls. Timers have names of their own; a debouncer of the
  ///     same identifier is replaced.
  ///   - interval: the shortest time between two actions.
  ///   - keeping: what becomes of the calls between. Default `latest`.
  ///   - action: what is done if this call is let through.
  /// - Throws: `TimerError` for a negative or overlong interval.
  public func throttle(
    _ identifier: String, every interval: Duration, keeping: Throttle.Keeping = .latest,
    action: @escaping @Sendable () -> Void
  ) throws(TimerError) {
    let throttle = try rates.throttle(identifier, interval: interval, keeping: keeping) {
      () throws(TimerError) in
      try Throttle(
        interval: interval, keeping: keeping, name: identifier, factory: factory, queue: queue)
    }
    throttle.call(action)
  }

  /// Cancels and forgets the debouncer or throttle of this identifier.
  ///
  /// - Returns: false when there is none.
  @discardableResult
  public func cancelRate(_ identifier: String) -> Bool {
    rates.cancel(identifier)
  }
}
