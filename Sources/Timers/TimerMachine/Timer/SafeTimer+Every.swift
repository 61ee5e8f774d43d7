public import Dispatch

extension SafeTimer {
  /// Creates and starts a timer that fires at equal intervals until it is cancelled or released.
  ///
  /// ```swift
  /// let heartbeat = SafeTimer.every(.seconds(30)) { sendHeartbeat() }
  /// ```
  /// - Parameters:
  ///   - interval: the time between two fires; the first fire is one interval from now. One that is
  ///     not positive becomes `TimerSchedule.shortestClamped`; one that is too long becomes
  ///     `TimerSchedule.longest`.
  ///   - leeway: how much later a fire may be, to save wake-ups. Default zero.
  ///   - name: for reports. Default `every`.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where the handler is called, never twice at a time. Default the global queue.
  ///   - handler: called for each fire.
  /// - Returns: the timer. Keep it: releasing it ends it.
  public static func every(
    _ interval: Duration, leeway: Duration = .zero, name: String = "every",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    handler: @escaping @Sendable () -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, handler: handler)
      .activated(.every(clamping: interval, leeway: leeway))
  }

  /// Fires at equal intervals, with a handler that gets the fire.
  public static func every(
    _ interval: Duration, leeway: Duration = .zero, name: String = "every",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    handler: @escaping TimerHandler.Call
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, handler: handler)
      .activated(.every(clamping: interval, leeway: leeway))
  }

  /// Fires at equal intervals, with a handler that gets its timer and need not capture it.
  public static func every(
    _ interval: Duration, leeway: Duration = .zero, name: String = "every",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    handler: @escaping @Sendable (_ machine: SafeTimer, _ fire: TimerFire) -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, handler: handler)
      .activated(.every(clamping: interval, leeway: leeway))
  }

  /// Fires at equal intervals, with a handler that is called in a task. The delivery ends when it
  /// returns.
  public static func every(
    _ interval: Duration, leeway: Duration = .zero, name: String = "every",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    task: @escaping TimerHandler.AsyncCall
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, task: task)
      .activated(.every(clamping: interval, leeway: leeway))
  }

  /// Fires at equal intervals, on the main actor.
  ///
  /// ```swift
  /// timer = SafeTimer.every(.seconds(1)) { @MainActor [weak self] in self?.update() }
  /// ```
  public static func every(
    _ interval: Duration, leeway: Duration = .zero, name: String = "every",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    onMain handler: @escaping @MainActor @Sendable () -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, onMain: handler)
      .activated(.every(clamping: interval, leeway: leeway))
  }

  /// Fires at equal intervals, on the main actor, with a handler that gets the fire.
  public static func every(
    _ interval: Duration, leeway: Duration = .zero, name: String = "every",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    onMain handler: @escaping @MainActor @Sendable (TimerFire) -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, onMain: handler)
      .activated(.every(clamping: interval, leeway: leeway))
  }

  /// Fires at equal intervals, on an actor that the timer does not keep alive.
  ///
  /// ```swift
  /// timer = SafeTimer.every(.seconds(60), on: self) { store, _ in await store.refresh() }
  /// ```
  public static func every<Owner: Actor>(
    _ interval: Duration, leeway: Duration = .zero, name: String = "every",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    on actor: Owner,
    handler: @escaping @Sendable (_ actor: isolated Owner, _ fire: TimerFire) async -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, on: actor, handler: handler)
      .activated(.every(clamping: interval, leeway: leeway))
  }

  /// Fires at equal intervals, on the main actor, for an owner that the timer does not keep alive, such
  /// as a view model.
  ///
  /// ```swift
  /// timer = SafeTimer.every(.seconds(1), onMain: self) { model, _ in model.update() }
  /// ```
  public static func every<Owner: AnyObject & Sendable>(
    _ interval: Duration, leeway: Duration = .zero, name: String = "every",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    onMain owner: Owner,
    handler: @escaping @MainActor @Sendable (_ owner: Owner, _ fire: TimerFire) async -> Void
  ) -> SafeTimer {
    SafeTimer(name: name, factory: factory, queue: queue, onMain: owner, handler: handler)
      .activated(.every(clamping: interval, leeway: leeway))
  }

  /// Itself, running. It was made just now and has a handler, so nothing refuses it.
  func activated(_ schedule: TimerSchedule) -> SafeTimer {
    _ = body.activate(schedule)
    return self
  }
}
