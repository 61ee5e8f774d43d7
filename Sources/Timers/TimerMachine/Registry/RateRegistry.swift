/// Debouncers and throttles by identifier.
final class RateRegistry: Sendable {
  private enum Rate: Sendable {
    case debouncer(Debouncer, delay: Duration, edge: Debouncer.Edge)
    case throttle(Throttle, interval: Duration, keeping: Throttle.Keeping)

    func cancel() {
      switch self {
      case .debouncer(let debouncer, _, _): debouncer.cancel()
      case .throttle(let throttle, _, _): throttle.cancel()
      }
    }
  }

  private let rates = Guarded<[String: Rate]>([:])

  /// The debouncer of this identifier; made when there is none, or one of other settings.
  func debouncer(
    _ identifier: String, delay: Duration, edge: Debouncer.Edge,
    make: () throws(TimerError) -> Debouncer
  ) throws(TimerError) -> Debouncer {
    let known = rates.withLock { $0[identifier] }
    if case .debouncer(let debouncer, delay, edge)? = known { return debouncer }
    let made = try make()
    return replace(identifier, .debouncer(made, delay: delay, edge: edge), made) {
      if case .debouncer(let debouncer, delay, edge) = $0 { debouncer } else { nil }
    }
  }

  /// The throttle of this identifier; made when there is none, or one of other settings.
  func throttle(
    _ identifier: String, interval: Duration, keeping: Throttle.Keeping,
    make: () throws(TimerError) -> Throttle
  ) throws(TimerError) -> Throttle {
    let known = rates.withLock { $0[identifier] }
    if case .throttle(let throttle, interval, keeping)? = known { return throttle }
    let made = try make()
    return replace(identifier, .throttle(made, interval: interval, keeping: keeping), made) {
      if case .throttle(let throttle, interval, keeping) = $0 { throttle } else { nil }
    }
  }

  func cancel(_ identifier: String) -> Bool {
    let rate = rates.withLock { $0.removeValue(forKey: identifier) }
    rate?.cancel()
    return rate != nil
  }

  func cancelAll() {
    let all = rates.withLock { rates in
      let all = Array(rates.values)
      rates = [:]
      return all
    }
    for rate in all { rate.cancel() }
  }

  /// Puts `rate` in, unless another thread was first with the same settings.
  private func replace<Found: AnyObject & Sendable>(
    _ identifier: String, _ rate: Rate, _ made: Found, same: @Sendable (Rate) -> Found?
  ) -> Found {
    let (found, previous) = rates.withLock { rates -> (Found, Rate?) in
      if let there = rates[identifier], let found = same(there) { return (found, nil) }
      let previous = rates[identifier]
      rates[identifier] = rate
      return (made, previous)
    }
    previous?.cancel()
    return found
  }
}
