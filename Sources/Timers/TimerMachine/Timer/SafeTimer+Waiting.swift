import Dispatch

extension SafeTimer {
  /// Ends the timer as `cancel` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted.
  ///
  /// Does not wait if called from inside the handler, nor on the main thread for a handler on the
  /// main actor, which it would block. Two handlers that wait for each other deadlock.
  ///
  /// - Parameter keepHandlers: as for `cancel`.
  @discardableResult
  public func cancelAndWait(keepHandlers: Bool? = nil) -> TimerReply {
    wait { body.cancel(keepHandlers: keepHandlers, isBlocking: true, whenOver: $0) }
  }

  /// Ends the timer as `cancel` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted. Suspends the task meanwhile, and blocks no thread.
  ///
  /// Does not wait if called from inside the handler.
  ///
  /// - Parameter keepHandlers: as for `cancel`.
  @discardableResult
  public func cancelAndWait(keepHandlers: Bool? = nil) async -> TimerReply {
    await wait { body.cancel(keepHandlers: keepHandlers, isBlocking: false, whenOver: $0) }
  }

  /// Stops firing as `suspend` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted.
  ///
  /// Does not wait if called from inside the handler, nor on the main thread for a handler on the
  /// main actor. Two handlers that wait for each other deadlock.
  @discardableResult
  public func suspendAndWait() -> TimerReply {
    wait { body.suspend(isBlocking: true, whenOver: $0) }
  }

  /// Stops firing as `suspend` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted. Suspends the task meanwhile, and blocks no thread.
  ///
  /// Does not wait if called from inside the handler.
  @discardableResult
  public func suspendAndWait() async -> TimerReply {
    await wait { body.suspend(isBlocking: false, whenOver: $0) }
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
