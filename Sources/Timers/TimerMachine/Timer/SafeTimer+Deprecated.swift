public import Dispatch

// Names of earlier versions, and names of other timers, so that the compiler names ours.
extension SafeTimer {
  /// Starts the timer, or replaces the schedule of an active one.
  @available(*, deprecated, renamed: "setSchedule(_:)")
  @discardableResult
  public func start(_ schedule: TimerSchedule) -> TimerReply {
    setSchedule(schedule)
  }

  /// Fires at equal intervals.
  @available(*, deprecated, renamed: "every(_:leeway:name:factory:queue:handler:)")
  public static func ticker(
    every interval: Duration, leeway: Duration = .zero, name: String = "ticker",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    handler: @escaping TimerHandler.Call
  ) -> SafeTimer {
    every(
      interval, leeway: leeway, name: name, factory: factory, queue: queue, handler: handler)
  }

  /// Foundation's name.
  @available(
    *, unavailable,
    message: "use SafeTimer.every(_:handler:), or SafeTimer.once(after:handler:) without repeats"
  )
  public static func scheduledTimer(
    withTimeInterval interval: Double, repeats: Bool, block: @escaping (SafeTimer) -> Void
  ) -> SafeTimer {
    SafeTimer()
  }

  /// Foundation's name.
  @available(*, unavailable, renamed: "fireNow()")
  public func fire() {}

  /// Foundation's name.
  @available(*, unavailable, renamed: "cancel()")
  public func invalidate() {}

  /// Repeat's name.
  @available(*, unavailable, renamed: "suspend()")
  public func pause() {}
}
