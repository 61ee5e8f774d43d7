public import Dispatch

extension SafeTimer {
  /// Creates and starts a timer that fires once, unless it is cancelled or released before.
  ///
  /// ```swift
  /// let reminder = SafeTimer.once(after: .seconds(5)) { remind() }
  /// ```
  /// - Parameters:
  ///   - delay: the time until the fire. A negative one becomes zero, which means at once; one that is
  ///     too long becomes `TimerSchedule.longest`.
  ///   - leeway: how much later the fire may be, to save wake-ups. Default zero.
  ///   - name: for reports. Default `once`.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where the handler is called. Default the global queue.
  ///   - handler: called for the fire.
  /// - Returns: the timer. Keep it: releasing it ends it.
  public static func once(
    after delay: Duration, leeway: Duration = .zero, name: String = "once",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    handler: @escaping @Sendable () -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, handler: handler)
      .activated(.once(afterClamping: delay, leeway: leeway))
  }

  /// Fires once, with a handler that gets the fire.
  public static func once(
    after delay: Duration, leeway: Duration = .zero, name: String = "once",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    handler: @escaping TimerHandler.Call
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, handler: handler)
      .activated(.once(afterClamping: delay, leeway: leeway))
  }

  /// Fires once, with a handler that gets its timer and need not capture it.
  public static func once(
    after delay: Duration, leeway: Duration = .zero, name: String = "once",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    handler: @escaping @Sendable (_ machine: SafeTimer, _ fire: TimerFire) -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, handler: handler)
      .activated(.once(afterClamping: delay, leeway: leeway))
  }

  /// Fires once, with a handler that is called in a task. The delivery ends when it returns.
  public static func once(
    after delay: Duration, leeway: Duration = .zero, name: String = "once",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    task: @escaping TimerHandler.AsyncCall
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, task: task)
      .activated(.once(afterClamping: delay, leeway: leeway))
  }

  /// Fires once, on the main actor.
  ///
  /// ```swift
  /// timer = SafeTimer.once(after: .seconds(5)) { @MainActor [weak self] in self?.update() }
  /// ```
  public static func once(
    after delay: Duration, leeway: Duration = .zero, name: String = "once",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    onMain handler: @escaping @MainActor @Sendable () -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, onMain: handler)
      .activated(.once(afterClamping: delay, leeway: leeway))
  }

  /// Fires once, on the main actor, with a handler that gets the fire.
  public static func once(
    after delay: Duration, leeway: Duration = .zero, name: String = "once",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    onMain handler: @escaping @MainActor @Sendable (TimerFire) -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, onMain: handler)
      .activated(.once(afterClamping: delay, leeway: leeway))
  }

  /// Fires once, on an actor that the timer does not keep alive.
  ///
  /// ```swift
  /// timer = SafeTimer.once(after: .seconds(5), on: self) { store, _ in await store.refresh() }
  /// ```
  public static func once<Owner: Actor>(
    after delay: Duration, leeway: Duration = .zero, name: String = "once",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    on actor: Owner,
    handler: @escaping @Sendable (_ actor: isolated Owner, _ fire: TimerFire) async -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, on: actor, handler: handler)
      .activated(.once(afterClamping: delay, leeway: leeway))
  }

  /// Fires once, on the main actor, for an owner that the timer does not keep alive, such as a
  /// view model.
  ///
  /// ```swift
  /// timer = SafeTimer.once(after: .seconds(5), onMain: self) { model, _ in model.update() }
  /// ```
  public static func once<Owner: AnyObject & Sendable>(
    after delay: Duration, leeway: Duration = .zero, name: String = "once",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    onMain owner: Owner,
    handler: @escaping @MainActor @Sendable (_ owner: Owner, _ fire: TimerFire) async -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, onMain: owner, handler: handler)
      .activated(.once(afterClamping: delay, leeway: leeway))
  }
}
