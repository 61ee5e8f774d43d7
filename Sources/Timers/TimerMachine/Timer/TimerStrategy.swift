/// A handler that is an object, such as a way of sending that can be exchanged while the timer runs.
///
/// ```swift
/// final class SendEvents: TimerStrategy {
///   func timerFired(_ timer: SafeTimer, _ fire: TimerFire) { … }
/// }
/// timer.register(SendEvents())
/// let sender = timer.retrieve(SendEvents.self)
/// timer.remove(SendEvents.self)
/// ```
/// Calls come after the main handler and never overlap: on the machine's queue, or in the task of a
/// main handler that is asynchronous or on an actor.
public protocol TimerStrategy: Sendable {
  /// Names the strategy within its timer; a later one of the same name takes its place. Default the
  /// name of its type.
  var name: String { get }

  /// Called for each fire.
  func timerFired(_ timer: SafeTimer, _ fire: TimerFire)
}

extension TimerStrategy {
  /// The name of the type.
  public var name: String { Self.defaultName }

  static var defaultName: String { String(reflecting: Self.self) }
}

extension TimerHandler {
  /// The object behind the handler, if it was registered as one.
  public var strategy: (any TimerStrategy)? { object as? any TimerStrategy }
}

extension SafeTimer {
  /// Adds a strategy, or replaces the one of the same name. Legal in every state, also while the
  /// timer runs and from inside a handler.
  ///
  /// A strategy is a handler: it has its place in `handlers`, and `cancel` releases it.
  ///
  /// - Parameters:
  ///   - strategy: called for each fire, unless the machine has been released.
  ///   - name: names it within this timer. Default its own name.
  /// - Returns: the strategy that was replaced.
  @discardableResult
  public func register(
    _ strategy: any TimerStrategy, as name: String? = nil
  ) -> (any TimerStrategy)? {
    let handler = TimerHandler(name: name ?? strategy.name, object: strategy) {
      [weak self] fire in
      if let self { strategy.timerFired(self, fire) }
    }
    return setHandler(handler)?.strategy
  }

  /// The strategy of this type that comes first.
  public func retrieve<Strategy: TimerStrategy>(_ type: Strategy.Type) -> Strategy? {
    handlers.lazy.compactMap { $0.strategy as? Strategy }.first
  }

  /// The strategy of this name.
  public func retrieve(named name: String) -> (any TimerStrategy)? {
    handlers.first { $0.name == name && $0.strategy != nil }?.strategy
  }

  /// Removes the strategies of this type.
  ///
  /// - Returns: the first of them; `nil` when there was none.
  @discardableResult
  public func remove<Strategy: TimerStrategy>(_ type: Strategy.Type) -> Strategy? {
    removeHandlers(where: { $0.strategy is Strategy }).lazy.compactMap { $0.strategy as? Strategy }
      .first
  }

  /// Removes the strategy of this name.
  ///
  /// - Returns: the strategy; `nil` when there was none.
  @discardableResult
  public func remove(named name: String) -> (any TimerStrategy)? {
    removeHandlers(where: { $0.name == name && $0.strategy != nil }).first?.strategy
  }
}
