public import Dispatch
public import TaktTime

/// A timer that cannot be misused: a finite-state machine around one system alarm.
///
/// Every operation may be called from any thread, in any order and from inside the handler; none
/// traps, and only `cancelAndWait()` waits. An operation that is not legal in a state is refused:
/// it is ignored, counted and reported to the observer. The table is
/// `TimerState.transition(on:last:)`.
///
/// - A delivery is *claimed* under the machine's lock and counts as started then. After `cancel`,
///   `suspend` or `reschedule` returns, no earlier delivery is claimed.
/// - Calls of the handler never overlap, even on a concurrent queue. A deadline that passes while
///   it runs is claimed when it returns.
/// - When its schedule is over, the machine is `cancelled` before its last handler call, so the
///   handler may activate it again.
/// - Releasing the last reference, from any thread and in any state, disarms the timer. The queue's
///   alarm does not keep the machine alive. Let the handler capture the machine weakly.
public final class SafeTimer: Sendable {
  let body: MachineBody

  /// Creates a machine in the state `idle`.
  ///
  /// - Parameters:
  ///   - name: for reports; it need not be unique.
  ///   - factory: where the alarm comes from.
  ///   - queue: where the handler is called. Its quality of service is the handler's: on Linux,
  ///     only that of the queue's root counts.
  ///   - observer: called for every transition. Default none, which costs nothing.
  ///   - handler: called for each fire.
  public init(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)? = nil, handler: @escaping @Sendable (TimerFire) -> Void
  ) {
    body = MachineBody(
      id: nil,
      in: TimerGroup(
        name: name, factory: factory, queue: queue, observer: observer, handler: .own(handler)))
  }

  /// Creates a machine in the state `idle`, whose handler receives the machine and need not capture
  /// it.
  ///
  /// - Parameters:
  ///   - name: for reports; it need not be unique.
  ///   - factory: where the alarm comes from.
  ///   - queue: where the handler is called.
  ///   - observer: called for every transition. Default none.
  ///   - handler: called with the machine for each fire, unless the machine has been released.
  public convenience init(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)? = nil,
    handler: @escaping @Sendable (_ machine: SafeTimer, _ fire: TimerFire) -> Void
  ) {
    self.init(name: name, factory: factory, queue: queue, observer: observer)
    body.group.setOwnHandler(
      .own { [weak self] fire in
        if let self { handler(self, fire) }
      })
  }

  /// Makes a machine of a group, in the state `idle`.
  ///
  /// - Parameter number: the machine's `id`; unique in the group.
  package init(number: UInt64, in group: TimerGroup) {
    body = MachineBody(id: number, in: group)
  }

  /// A machine without handlers, which are added later.
  init(
    name: String, factory: any TimerFactory, queue: DispatchQueue,
    observer: (any TimerObserver)? = nil
  ) {
    body = MachineBody(
      id: nil,
      in: TimerGroup(name: name, factory: factory, queue: queue, observer: observer, handler: nil))
  }

  deinit {
    body.release()
  }

  /// The machine's name.
  public var name: String { body.group.name }

  /// The machine's number, unique in the process.
  public var id: UInt64 { body.id }

  /// The machine's current state.
  public var state: TimerState { body.core.withLock { $0.state } }

  /// The number of operations that were refused, or overtaken before they were performed; see
  /// `fireNow()`.
  public var refusals: UInt64 { body.core.withLock { $0.refusals } }

  /// The number of deliveries claimed so far, which is the sequence number of the last one.
  public var claims: UInt64 { body.core.withLock { $0.claims } }

  /// The deadline that is armed now, if any.
  public var deadline: MonotonicInstant? {
    body.core.withLock { $0.isArmed ? $0.monotonicDeadline(in: body.group) : nil }
  }

  /// Starts the timer. Legal from `idle` and `cancelled`.
  ///
  /// - Parameters:
  ///   - schedule: when to fire.
  ///   - onArmed: called once on the machine's queue when the timer is armed, before its first
  ///     handler call; not called if the timer is suspended, rescheduled or cancelled first.
  ///     Default none.
  @discardableResult
  public func activate(
    _ schedule: TimerSchedule, onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    body.activate(schedule, onArmed: onArmed)
  }

  /// Starts the timer, or replaces the schedule of an active one. Legal in every state; a suspended
  /// machine stays suspended.
  @discardableResult
  public func start(_ schedule: TimerSchedule) -> TimerReply {
    body.start(schedule)
  }

  /// Stops firing but keeps the schedule. Legal from `running`.
  @discardableResult
  public func suspend() -> TimerReply {
    body.operate(.suspend)
  }

  /// Continues with the schedule at the current place in its grid. Legal from `suspended`.
  ///
  /// - Parameter missed: what happens to deadlines that passed meanwhile.
  @discardableResult
  public func resume(missed: MissedFires = .coalesce) -> TimerReply {
    guard missed == .skip else { return body.operate(.resume) }
    let group = body.group
    return body.operate(
      .resume, last: { $0.isOverAfterSkipping(at: $0.now(in: group)) },
      change: { $0.skip(at: $0.now(in: group)) })
  }

  /// Starts another schedule from its beginning. Legal from `running` and `suspended`.
  ///
  /// Pending deliveries of the previous schedule are dropped; a suspended machine stays suspended.
  @discardableResult
  public func reschedule(_ schedule: TimerSchedule) -> TimerReply {
    body.operate(.reschedule, change: { $0.begin(schedule, of: body) })
  }

  /// Changes interval, leeway or both; the count of fires continues. Legal from `running` and
  /// `suspended`.
  ///
  /// A new leeway alone leaves the next deadline as it is. With a new interval, deadlines that have
  /// passed are dropped, and a timer that fires once starts to repeat from its deadline.
  ///
  /// - Parameters:
  ///   - interval: the new time between two deadlines; `nil` keeps it.
  ///   - leeway: the new leeway; `nil`, the default, keeps it.
  ///   - phase: where the grid of a new interval starts. Default `keep`.
  /// - Throws: `TimerError` for an interval or leeway outside its range; in that case nothing
  ///   changes.
  @discardableResult
  public func reschedule(
    interval: Duration?, leeway: Duration? = nil, phase: TimerPhase = .keep
  ) throws(TimerError) -> TimerReply {
    let interval = try interval.map(TimerSchedule.validated(interval:))
    let leeway = try leeway.map(TimerSchedule.validated(leeway:))
    let group = body.group
    return body.operate(
      .reschedule,
      change: {
        $0.change(interval: interval, leeway: leeway, phase: phase, at: $0.now(in: group))
      })
  }

  /// Fires once, soon, on the machine's queue. Legal from `running` and `suspended`.
  ///
  /// The schedule, its phase and the number of fires left do not change. An accepted fire is
  /// delivered even after another `reschedule`, but not if the timer is suspended, cancelled or
  /// over before its turn on the queue: then it counts among `refusals` and is reported with the
  /// cause `overtaken`.
  @discardableResult
  public func fireNow() -> TimerReply {
    body.fireNow()
  }

  /// Ends the timer and releases its handlers, which breaks a reference cycle between an owner and
  /// its handler. Legal from `running` and `suspended`; the handlers are released in every state.
  ///
  /// A delivery that was claimed earlier may still run: see `cancelAndWait()`.
  ///
  /// - Parameter keepHandlers: whether to keep the handlers, so that the timer can be activated
  ///   again. Default false: `activate` without handlers is refused with `noHandler`.
  @discardableResult
  public func cancel(keepHandlers: Bool = false) -> TimerReply {
    body.cancel(keepHandlers: keepHandlers)
  }

  /// Ends the timer as `cancel` does, and returns when none of its handlers is running, whether or
  /// not the call was accepted.
  ///
  /// Does not wait if called from inside the handler. Two handlers that wait for each other
  /// deadlock.
  ///
  /// - Parameter keepHandlers: as for `cancel`.
  @discardableResult
  public func cancelAndWait(keepHandlers: Bool = false) -> TimerReply {
    let over = DispatchSemaphore(value: 0)
    let (reply, isAwaited) = body.cancel(keepHandlers: keepHandlers) { over.signal() }
    if isAwaited { over.wait() }
    return reply
  }
}
