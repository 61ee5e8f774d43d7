public import Dispatch

extension SafeTimer {
  /// Creates a machine in the state `idle`, whose handler is called in a task for each fire.
  ///
  /// The delivery ends when the handler returns: until then no other begins, and a deadline that
  /// passes meanwhile is claimed afterwards.
  ///
  /// ```swift
  /// let timer = SafeTimer(name: "poll", factory: factory, queue: queue, task: { _ in
  ///   await store.refresh()
  /// })
  /// ```
  /// - Parameters:
  ///   - name: for reports; it need not be unique.
  ///   - factory: where the alarm comes from.
  ///   - queue: where fires are claimed; handlers run where their tasks do.
  ///   - observer: called for every transition. Default none.
  ///   - task: called for each fire.
  public convenience init(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)? = nil, task: @escaping TimerHandler.AsyncCall
  ) {
    self.init(name: name, factory: factory, queue: queue, observer: observer)
    body.group.setOwnHandler(.task(task))
  }

  /// Creates a machine in the state `idle`, whose handler runs on an actor for each fire.
  ///
  /// The timer does not keep the actor alive, so an actor may own its timer; after the actor is
  /// released, fires have no effect.
  ///
  /// - Parameters:
  ///   - name: for reports; it need not be unique.
  ///   - factory: where the alarm comes from.
  ///   - queue: where fires are claimed.
  ///   - observer: called for every transition. Default none.
  ///   - actor: where the handler runs.
  ///   - handler: called for each fire; the delivery ends when it returns.
  public convenience init<Owner: Actor>(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)? = nil, on actor: Owner,
    handler: @escaping @Sendable (_ actor: isolated Owner, _ fire: TimerFire) -> Void
  ) {
    self.init(
      name: name, factory: factory, queue: queue, observer: observer,
      task: { [weak actor] fire in
        if let actor { await handler(actor, fire) }
      })
  }

  /// Ends the timer as `cancel` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted. Suspends the task meanwhile, and blocks no thread.
  ///
  /// Does not wait if called from inside the handler.
  ///
  /// - Parameter keepHandlers: as for `cancel`.
  @discardableResult
  public func cancelAndWait(keepHandlers: Bool = false) async -> TimerReply {
    var reply = TimerReply.refused(state: .idle)
    await withCheckedContinuation { continuation in
      let (given, isAwaited) = body.cancel(keepHandlers: keepHandlers) { continuation.resume() }
      reply = given
      if !isAwaited { continuation.resume() }
    }
    return reply
  }
}
