public import Dispatch

extension SafeTimer {
  /// Creates a machine in the state `idle`, whose handler is called in a task for each fire.
  ///
  /// The delivery ends when the handler returns: until then no other begins, and a deadline that
  /// passes meanwhile is claimed afterwards.
  ///
  /// ```swift
  /// let timer = SafeTimer(name: "poll") { _ in await store.refresh() }
  /// ```
  /// - Parameters:
  ///   - name: for reports; it need not be unique. Default `timer`.
  ///   - schedule: what `start()` begins. Default none.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where fires are claimed; handlers run where their tasks do. Default the global
  ///     queue.
  ///   - observer: called for every transition. Default none.
  ///   - task: called for each fire.
  public convenience init(
    name: String = "timer", schedule: TimerSchedule? = nil,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil, task: @escaping TimerHandler.AsyncCall
  ) {
    self.init(
      name: name, schedule: schedule, factory: factory, queue: queue, observer: observer)
    body.group.setOwnHandler(.task(task))
  }

  /// Creates a machine in the state `idle`, whose handler runs on an actor for each fire.
  ///
  /// The timer does not keep the actor alive, so an actor may own its timer; after the actor is
  /// released, fires have no effect. The handler may be asynchronous.
  ///
  /// ```swift
  /// let timer = SafeTimer(name: "refresh", on: self) { store, _ in await store.refresh() }
  /// ```
  /// - Parameters:
  ///   - name: for reports; it need not be unique. Default `timer`.
  ///   - schedule: what `start()` begins. Default none.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where fires are claimed. Default the global queue.
  ///   - observer: called for every transition. Default none.
  ///   - actor: where the handler runs.
  ///   - handler: called for each fire; the delivery ends when it returns. No call begins after
  ///     `cancel` or `suspend` has returned on the actor.
  public convenience init<Owner: Actor>(
    name: String = "timer", schedule: TimerSchedule? = nil,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil, on actor: Owner,
    handler: @escaping @Sendable (_ actor: isolated Owner, _ fire: TimerFire) async -> Void
  ) {
    self.init(
      name: name, schedule: schedule, factory: factory, queue: queue, observer: observer)
    body.group.setOwnHandler(body.on(actor, handler))
  }

  /// Creates a machine in the state `idle`, whose handler runs on the main actor for each fire and
  /// gets its owner, such as a view model or a view controller.
  ///
  /// The timer does not keep the owner alive, so the owner may hold its timer; after the owner is
  /// released, fires have no effect. The handler may be asynchronous.
  ///
  /// ```swift
  /// let timer = SafeTimer(name: "clock", onMain: self) { model, _ in model.seconds += 1 }
  /// ```
  /// - Parameters:
  ///   - name: for reports; it need not be unique. Default `timer`.
  ///   - schedule: what `start()` begins. Default none.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where fires are claimed. Default the global queue.
  ///   - observer: called for every transition. Default none.
  ///   - owner: passed to the handler.
  ///   - handler: called for each fire; the delivery ends when it returns. No call begins after
  ///     `cancel` or `suspend` has returned on the actor.
  public convenience init<Owner: AnyObject & Sendable>(
    name: String = "timer", schedule: TimerSchedule? = nil,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil, onMain owner: Owner,
    handler: @escaping @MainActor @Sendable (_ owner: Owner, _ fire: TimerFire) async -> Void
  ) {
    self.init(
      name: name, schedule: schedule, factory: factory, queue: queue, observer: observer)
    body.group.setOwnHandler(body.onMain(owner, handler))
  }

  /// Creates a machine in the state `idle`, whose handler runs on the main actor.
  ///
  /// ```swift
  /// let timer = SafeTimer { @MainActor [weak self] _ in self?.count += 1 }
  /// ```
  public convenience init(
    name: String = "timer", schedule: TimerSchedule? = nil,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil,
    onMain handler: @escaping @MainActor @Sendable (TimerFire) -> Void
  ) {
    self.init(
      name: name, schedule: schedule, factory: factory, queue: queue, observer: observer)
    body.group.setOwnHandler(body.onMain(handler))
  }

  /// Creates a machine in the state `idle`, whose handler runs on the main actor and takes
  /// nothing.
  public convenience init(
    name: String = "timer", schedule: TimerSchedule? = nil,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil, onMain handler: @escaping @MainActor @Sendable () -> Void
  ) {
    self.init(
      name: name, schedule: schedule, factory: factory, queue: queue, observer: observer)
    body.group.setOwnHandler(body.onMain { _ in handler() })
  }
}
