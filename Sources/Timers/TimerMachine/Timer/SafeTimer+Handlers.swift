extension SafeTimer {
  /// Adds a handler, or replaces the handler of the same name. Legal in every state, also while the
  /// timer runs and from inside a handler.
  ///
  /// Handlers are called one after the other, the main one first, then in the order in which they
  /// were added. A delivery that was claimed earlier still calls the handlers of that time.
  ///
  /// - Returns: the handler that was replaced.
  @discardableResult
  public func setHandler(_ name: String, _ call: @escaping TimerHandler.Call) -> TimerHandler? {
    setHandler(TimerHandler(name: name, call: call))
  }

  func setHandler(_ handler: TimerHandler) -> TimerHandler? {
    body.core.withLock { core in
      if handler.name == TimerHandler.main, handler.strategy == nil {
        return core.replaceMainHandler(with: .own(handler.call), in: body.group)?.named(of: body.id)
      }
      let extras = core.madeExtras()
      guard let place = extras.handlers.firstIndex(where: { $0.name == handler.name }) else {
        extras.handlers.append(handler)
        return nil
      }
      let previous = extras.handlers[place]
      extras.handlers[place] = handler
      return previous
    }
  }

  /// Removes a handler. A timer without handlers keeps firing, without effect.
  ///
  /// - Returns: the handler; `nil` when there was none of this name.
  @discardableResult
  public func removeHandler(_ name: String) -> TimerHandler? {
    body.core.withLock { core in
      if name == TimerHandler.main {
        return core.replaceMainHandler(with: nil, in: body.group)?.named(of: body.id)
      }
      guard let extras = core.extras,
        let place = extras.handlers.firstIndex(where: { $0.name == name })
      else { return nil }
      return extras.handlers.remove(at: place)
    }
  }

  /// Removes those besides the main handler that `isGone` holds for.
  func removeHandlers(where isGone: (TimerHandler) -> Bool) -> [TimerHandler] {
    body.core.withLock { core in
      guard let extras = core.extras else { return [] }
      let gone = extras.handlers.filter(isGone)
      extras.handlers.removeAll(where: isGone)
      return gone
    }
  }

  /// The handlers in the order of their calls.
  public var handlers: [TimerHandler] {
    body.core.withLock { core in
      let main = core.mainHandler(in: body.group)?.named(of: body.id)
      return (main.map { [$0] } ?? []) + (core.extras?.handlers ?? [])
    }
  }

  /// The handler of this name.
  public func handler(named name: String) -> TimerHandler? {
    handlers.first { $0.name == name }
  }
}
