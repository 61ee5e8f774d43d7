extension MachineBody {
  /// Released handlers, for a caller to destroy outside the lock: the contents of a closure may do
  /// anything when they are destroyed.
  struct PreviousHandlers {
    var main: MainHandler?
    var others: MachineExtras?
  }

  /// The waiter for a handler's return: a task, or a thread, which may be on an actor.
  enum Caller {
    case task
    case thread(on: (any Actor)?)
  }

  /// - Parameter keepHandlers: nil for the default of the machine.
  func cancel(keepHandlers: Bool?) -> TimerReply {
    prefetch()
    var transition: TransitionNote?
    let (reply, streams, previous) = core.withLock { core in
      let (reply, previous) = end(
        keepHandlers: keepHandlers, drops: true, in: &core, &transition)
      return (reply, core.removeEndedStreams(), previous)
    }
    report(transition)
    if let streams { Self.finish(streams) }
    _ = previous
    return reply
  }

  /// Cancels. If a handler is being called, and the caller is not inside it, `whenOver` is called
  /// when it returns.
  ///
  /// - Parameter caller: the waiter.
  /// - Returns: the reply, and whether `whenOver` will be called.
  func cancel(
    keepHandlers: Bool?, caller: Caller, whenOver: @escaping @Sendable () -> Void
  ) -> (TimerReply, isAwaited: Bool) {
    stop(caller: caller, whenOver: whenOver) { core, transition, drops in
      end(keepHandlers: keepHandlers, drops: drops, in: &core, &transition)
    }
  }

  func suspend() -> TimerReply {
    prefetch()
    var transition: TransitionNote?
    let (reply, streams) = core.withLock { core in
      let reply = suspend(drops: true, in: &core, &transition)
      return (reply, core.removeEndedStreams())
    }
    report(transition)
    if let streams { Self.finish(streams) }
    return reply
  }

  /// Suspends; else as `cancel`.
  func suspend(
    caller: Caller, whenOver: @escaping @Sendable () -> Void
  ) -> (TimerReply, isAwaited: Bool) {
    stop(caller: caller, whenOver: whenOver) { core, transition, drops in
      (suspend(drops: drops, in: &core, &transition), PreviousHandlers())
    }
  }

  /// Takes `suspend` through the table.
  private func suspend(
    drops: Bool, in core: inout MachineCore, _ transition: inout TransitionNote?
  ) -> TimerReply {
    let reply = apply(.suspend, last: false, cause: .requested, to: &core, &transition) {
      if drops { $0.dropOnTheWay(in: group) }
    }
    if drops { core.dropLast(after: reply, in: group) }
    return reply
  }

  /// - Parameter operation: receives true if the caller will not wait for a delivery in progress.
  private func stop(
    caller: Caller, whenOver: @escaping @Sendable () -> Void,
    _ operation: (inout MachineCore, inout TransitionNote?, _ drops: Bool) -> (
      TimerReply, PreviousHandlers
    )
  ) -> (TimerReply, isAwaited: Bool) {
    var transition: TransitionNote?
    let tasks = DeliveryTask.all
    let (reply, isAwaited, previous) = core.withLock { core in
      // A handler that waits for its own end would never return.
      let call = DeliveryTask(machine: ObjectIdentifier(self), claim: core.claims)
      var isInside = tasks.contains(call) || core.isDeliveringHere
      if case .thread(let actor) = caller, core.isDelivering(onBlocked: actor) { isInside = true }
      let isAwaited = core.isDelivering && !isInside
      let (reply, previous) = operation(&core, &transition, !isAwaited)
      if isAwaited { core.madeExtras().waiters.append(whenOver) }
      return (reply, isAwaited, previous)
    }
    report(transition)
    closeStreams()
    _ = previous
    return (reply, isAwaited)
  }

  /// Takes `cancel` through the table. A machine that is not running loses its handlers too: its
  /// owner no longer needs them.
  private func end(
    keepHandlers: Bool?, drops: Bool, in core: inout MachineCore,
    _ transition: inout TransitionNote?
  ) -> (TimerReply, PreviousHandlers) {
    let reply = apply(.cancel, last: false, cause: .requested, to: &core, &transition) {
      if drops { $0.dropOnTheWay(in: group) }
    }
    if drops { core.dropLast(after: reply, in: group) }
    let keeps = keepHandlers ?? isScheduled
    return (reply, keeps ? PreviousHandlers() : removeHandlers(in: &core))
  }

  /// Releases the handlers of a machine that was cancelled.
  func releaseHandlers() {
    _ = core.withLock { removeHandlers(in: &$0) }
  }

  private func removeHandlers(in core: inout MachineCore) -> PreviousHandlers {
    PreviousHandlers(main: group.removeOwnHandler(), others: core.extras?.releaseHandlers())
  }
}
