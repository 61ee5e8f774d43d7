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
    body.core.withLock { core in
      if name == TimerHandler.main {
        return core.replaceMainHandler(with: call, of: body)
      }
      let extras = core.madeExtras()
      let handler = TimerHandler(name: name, call: call)
      guard let place = extras.handlers.firstIndex(where: { $0.name == name }) else {
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
        return core.replaceMainHandler(with: nil, of: body)
      }
      guard let extras = core.extras,
        let place = extras.handlers.firstIndex(where: { $0.name == name })
      else { return nil }
      return extras.handlers.remove(at: place)
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

extension MachineCore {
  /// The handler that the machine was made with, unless another was set.
  func mainHandler(in group: TimerGroup) -> MainHandler? {
    guard let extras, extras.isHandlerReplaced else { return group.handler }
    return extras.handler.map { .own($0) }
  }

  /// Whether a fire would call anybody.
  func hasHandlers(in group: TimerGroup) -> Bool {
    guard let extras else { return group.handler != nil }
    return mainHandler(in: group) != nil || !extras.handlers.isEmpty
  }

  /// Sets the main handler, or takes it away.
  ///
  /// - Returns: the handler before.
  fileprivate mutating func replaceMainHandler(
    with call: TimerHandler.Call?, of body: MachineBody
  ) -> TimerHandler? {
    let previous = mainHandler(in: body.group)?.named(of: body.id)
    let extras = madeExtras()
    extras.isHandlerReplaced = true
    extras.handler = call
    return previous
  }
}
