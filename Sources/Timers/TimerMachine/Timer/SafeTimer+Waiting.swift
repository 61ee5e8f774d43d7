import Dispatch

extension SafeTimer {
  /// Ends the timer as `cancel` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted.
  ///
  /// Does not wait if called from inside the handler, nor for a handler on the caller's own actor or,
  /// on the main thread, on the main actor: the handler could not run while the caller waits. Two
  /// handlers that wait for each other deadlock.
  ///
  /// - Parameters:
  ///   - keepHandlers: as for `cancel`.
  ///   - isolation: the actor of the caller, which the compiler fills in.
  @discardableResult
  public func cancelAndWait(
    keepHandlers: Bool? = nil, isolation: isolated (any Actor)? = #isolation
  ) -> TimerReply {
    let caller = MachineBody.Caller.thread(on: isolation)
    return wait { body.cancel(keepHandlers: keepHandlers, caller: caller, whenOver: $0) }
  }

  /// Ends the timer as `cancel` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted. Suspends the task meanwhile, and blocks no thread.
  ///
  /// Does not wait if called from inside the handler.
  ///
  /// - Parameter keepHandlers: as for `cancel`.
  @discardableResult
  public func cancelAndWait(keepHandlers: Bool? = nil) async -> TimerReply {
    await wait { body.cancel(keepHandlers: keepHandlers, caller: .task, whenOver: $0) }
  }

  /// Stops firing as `suspend` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted.
  ///
  /// When it does not wait, and what deadlocks, is as for `cancelAndWait(keepHandlers:isolation:)`.
  ///
  /// - Parameter isolation: the actor of the caller, which the compiler fills in.
  @discardableResult
  public func suspendAndWait(isolation: isolated (any Actor)? = #isolation) -> TimerReply {
    let caller = MachineBody.Caller.thread(on: isolation)
    return wait { body.suspend(caller: caller, whenOver: $0) }
  }

  /// Stops firing as `suspend` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted. Suspends the task meanwhile, and blocks no thread.
  ///
  /// Does not wait if called from inside the handler.
  @discardableResult
  public func suspendAndWait() async -> TimerReply {
    await wait { body.suspend(caller: .task, whenOver: $0) }
  }

  private typealias Ending = (@escaping @Sendable () -> Void) -> (TimerReply, isAwaited: Bool)

  private func wait(_ end: Ending) -> TimerReply {
    let over = DispatchSemaphore(value: 0)
    let (reply, isAwaited) = end { over.signal() }
    if isAwaited { over.wait() }
    return reply
  }

  private func wait(_ end: Ending) async -> TimerReply {
    var reply = TimerReply.refused(state: .idle)
    await withCheckedContinuation { continuation in
      let (given, isAwaited) = end { continuation.resume() }
      reply = given
      if !isAwaited { continuation.resume() }
    }
    return reply
  }
}
