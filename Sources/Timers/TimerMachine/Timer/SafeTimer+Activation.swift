extension SafeTimer {
  /// Starts the timer with the handlers that it has. Legal from `idle` and `cancelled`.
  ///
  /// Without a handler it is refused with `noHandler`: a machine that was made without one, or that
  /// has been cancelled, gets one from `activate(_:handler:onArmed:)`. So look at the reply.
  ///
  /// - Parameter schedule: when to fire.
  public func activate(_ schedule: TimerSchedule) -> TimerReply {
    noted(body.activate(schedule), .activate)
  }

  /// The same, with a call when the timer is armed.
  ///
  /// - Parameters:
  ///   - schedule: when to fire.
  ///   - onArmed: called once on the machine's queue when the timer is armed, before its first
  ///     handler call; not called if the timer is suspended, rescheduled or cancelled first. Write
  ///     its label: a closure that follows `activate` is the handler.
  @_disfavoredOverload
  public func activate(
    _ schedule: TimerSchedule, onArmed: @escaping @Sendable () -> Void
  ) -> TimerReply {
    noted(body.activate(schedule, onArmed: onArmed), .activate)
  }

  /// Starts the timer with a handler. Legal from `idle` and `cancelled`.
  ///
  /// ```swift
  /// timer.activate(.every(clamping: .seconds(30))) { [weak self] in self?.send() }
  /// ```
  /// A refused activation leaves the handler as it was.
  ///
  /// - Parameters:
  ///   - schedule: when to fire.
  ///   - handler: called for each fire, in place of the main handler before.
  ///   - onArmed: called once on the machine's queue when the timer is armed, before its first
  ///     handler call; not called if the timer is suspended, rescheduled or cancelled first.
  ///     Default none.
  @discardableResult
  public func activate(
    _ schedule: TimerSchedule, handler: @escaping @Sendable () -> Void,
    onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    activate(schedule, .own { _ in handler() }, onArmed)
  }

  /// Starts the timer with a handler that gets the fire. See `activate(_:handler:onArmed:)`.
  @discardableResult
  public func activate(
    _ schedule: TimerSchedule, handler: @escaping @Sendable (TimerFire) -> Void,
    onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    activate(schedule, .own(handler), onArmed)
  }

  /// Starts the timer with a handler that gets the machine and the fire, and need not capture the
  /// machine. See `activate(_:handler:onArmed:)`.
  @discardableResult
  public func activate(
    _ schedule: TimerSchedule,
    handler: @escaping @Sendable (_ machine: SafeTimer, _ fire: TimerFire) -> Void,
    onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    activate(schedule, weakly(handler), onArmed)
  }

  /// Starts the timer with a handler that is called in a task: the delivery ends when it returns. See
  /// `activate(_:handler:onArmed:)`.
  @discardableResult
  public func activate(
    _ schedule: TimerSchedule, task: @escaping TimerHandler.AsyncCall,
    onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    activate(schedule, .task(task), onArmed)
  }

  /// Starts the timer with a handler on the main actor. See `activate(_:handler:onArmed:)`.
  ///
  /// ```swift
  /// timer.activate(schedule) { @MainActor [weak self] in self?.update() }
  /// ```
  @discardableResult
  public func activate(
    _ schedule: TimerSchedule, onMain handler: @escaping @MainActor @Sendable () -> Void,
    onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    activate(schedule, body.onMain { _ in handler() }, onArmed)
  }

  /// Starts the timer with a handler on the main actor that gets the fire. See
  /// `activate(_:handler:onArmed:)`.
  @discardableResult
  public func activate(
    _ schedule: TimerSchedule, onMain handler: @escaping @MainActor @Sendable (TimerFire) -> Void,
    onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    activate(schedule, body.onMain(handler), onArmed)
  }

  /// Starts the timer with a handler on an actor that the timer does not keep alive. See
  /// `activate(_:handler:onArmed:)`.
  @discardableResult
  public func activate<Owner: Actor>(
    _ schedule: TimerSchedule, on actor: Owner,
    handler: @escaping @Sendable (_ actor: isolated Owner, _ fire: TimerFire) async -> Void,
    onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    activate(schedule, body.on(actor, handler), onArmed)
  }

  /// Starts the timer with a handler on the main actor, for an owner that the timer does not keep
  /// alive. See `activate(_:handler:onArmed:)`.
  @discardableResult
  public func activate<Owner: AnyObject & Sendable>(
    _ schedule: TimerSchedule, onMain owner: Owner,
    handler: @escaping @MainActor @Sendable (_ owner: Owner, _ fire: TimerFire) async -> Void,
    onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    activate(schedule, body.onMain(owner, handler), onArmed)
  }

  private func activate(
    _ schedule: TimerSchedule, _ handler: MainHandler, _ onArmed: (@Sendable () -> Void)?
  ) -> TimerReply {
    noted(body.activate(schedule, handler: handler, onArmed: onArmed), .activateWithHandler)
  }

  /// Starts the timer, or continues it, with the schedule that it was made with. Legal in every
  /// state: from `idle` and `cancelled` it activates, from `suspended` it resumes, and while the
  /// timer runs it changes nothing.
  ///
  /// ```swift
  /// let timer = SafeTimer(schedule: .every(clamping: .seconds(3))) { refresh() }
  /// timer.start()
  /// ```
  /// A machine that was made without a schedule refuses it, except from `suspended`.
  @discardableResult
  public func start() -> TimerReply {
    noted(body.start(), .start)
  }

  /// Sets the schedule in every state: starts the timer from `idle` and `cancelled`, and replaces
  /// the schedule of an active one. A suspended machine stays suspended.
  ///
  /// Without a handler a start is refused with `noHandler`, as in `activate(_:)`.
  public func setSchedule(_ schedule: TimerSchedule) -> TimerReply {
    noted(body.setSchedule(schedule), .setSchedule)
  }
}
