public import Dispatch
public import TaktTime

/// A timer that cannot be misused: a finite-state machine round one alarm of the system.
///
/// Every operation may be called from any thread, in any order and from inside the handler; none
/// traps, and none but `cancelAndWait()` waits. What is not legal in a state is refused: ignored,
/// counted, told to the observer. The table is `TimerState.transition(on:last:)`.
///
/// - A delivery is *claimed* under the machine's lock and counts as started then. After `cancel`,
///   `suspend` or `reschedule` has returned, none that belongs to the time before is claimed.
/// - The handler is never called twice at a time, even on a concurrent queue. A deadline that
///   comes while it runs is claimed when it returns.
/// - A schedule that is over leaves the machine `cancelled`, before its last handler call, so the
///   handler may activate it again.
/// - When the last reference goes, from any thread and in any state, the timer is disarmed. The
///   queue's alarm does not keep the machine alive. Let the handler capture the machine weakly.
public final class SafeTimer: Sendable {
  let body: MachineBody

  /// Makes a machine in the state `idle`.
  ///
  /// - Parameters:
  ///   - name: for reports; it need not be unique.
  ///   - factory: where the alarm comes from.
  ///   - queue: where the handler is called. Its quality of service is the handler's: on Linux
  ///     that of the queue's root alone counts.
  ///   - observer: told of every transition. Default none, which costs nothing.
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

  /// Makes a machine in the state `idle`, whose handler is given the machine and need not capture it.
  ///
  /// - Parameters:
  ///   - name: for reports; it need not be unique.
  ///   - factory: where the alarm comes from.
  ///   - queue: where the handler is called.
  ///   - observer: told of every transition. Default none.
  ///   - handler: called with the machine for each fire; not for one that nobody holds any more.
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

  /// Where the machine stands at this moment.
  public var state: TimerState { body.core.withLock { $0.state } }

  /// How many operations were refused so far, or overtaken before they were done: see `fireNow()`.
  public var refusals: UInt64 { body.core.withLock { $0.refusals } }

  /// How many deliveries were claimed so far: the sequence number of the last.
  public var claims: UInt64 { body.core.withLock { $0.claims } }

  /// The deadline that is armed at this moment, if one is.
  public var deadline: MonotonicInstant? {
    body.core.withLock { $0.isArmed ? $0.monotonicDeadline(in: body.group) : nil }
  }

  /// Starts the timer. Legal from `idle` and `cancelled`.
  ///
  /// - Parameters:
  ///   - schedule: when to fire.
  ///   - onArmed: called once on the machine's queue when the timer is really armed, before its
  ///     first handler call; not at all when the timer is suspended, rescheduled or cancelled
  ///     before. Default none.
  @discardableResult
  public func activate(
    _ schedule: TimerSchedule, onArmed: (@Sendable () -> Void)? = nil
  ) -> TimerReply {
    body.activate(schedule, onArmed: onArmed)
  }

  /// Starts the timer, or gives it another schedule when it has one that is not over. Legal in
  /// every state; a suspended machine stays so.
  @discardableResult
  public func start(_ schedule: TimerSchedule) -> TimerReply {
    body.start(schedule)
  }

  /// Stops firing but keeps the schedule. Legal from `running`.
  @discardableResult
  public func suspend() -> TimerReply {
    body.operate(.suspend)
  }

  /// Goes on with the schedule where its grid stands now. Legal from `suspended`.
  ///
  /// - Parameter missed: what becomes of deadlines that passed meanwhile.
  @discardableResult
  public func resume(missed: MissedFires = .coalesce) -> TimerReply {
    guard missed == .skip else { return body.operate(.resume) }
    let group = body.group
    return body.operate(
      .resume, last: { $0.isOverAfterSkipping(at: $0.now(in: group)) },
      change: { $0.skip(at: $0.now(in: group)) })
  }

  /// Takes another schedule, from its beginning. Legal from `running` and `suspended`.
  ///
  /// What the former schedule still had to deliver is dropped; a suspended machine stays so.
  @discardableResult
  public func reschedule(_ schedule: TimerSchedule) -> TimerReply {
    body.operate(.reschedule, change: { $0.begin(schedule, of: body) })
  }

  /// Changes interval, leeway or both; the count of fires goes on. Legal from `running` and
  /// `suspended`.
  ///
  /// A new leeway alone leaves the next deadline as it is. With a new interval the deadlines that
  /// have passed are dropped, and a timer that fires once begins to repeat from its deadline.
  ///
  /// - Parameters:
  ///   - interval: the new distance of two deadlines; `nil` keeps it.
  ///   - leeway: the new leeway; `nil`, the default, keeps it.
  ///   - phase: where the grid of a new interval begins. Default `keep`.
  /// - Throws: `TimerError` for an interval or leeway outside its range; nothing has changed then.
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
  /// The schedule and its phase stay untouched, and a counted timer has as many fires left. What was
  /// accepted is delivered, also after another `reschedule`. Only when the timer is suspended,
  /// cancelled or over before its turn on the queue has come, it is not: it counts among `refusals`
  /// then and is reported with the cause `overtaken`.
  @discardableResult
  public func fireNow() -> TimerReply {
    body.fireNow()
  }

  /// Ends the timer and lets go of its handlers, so that an owner whose handler holds it is not held
  /// for ever. Legal from `running` and `suspended`; the handlers go in every state.
  ///
  /// A handler that was claimed before may still run: see `cancelAndWait()`.
  ///
  /// - Parameter keepHandlers: whether the handlers stay, so that the timer can be activated again
  ///   without setting any. Default false: `activate` without handlers is refused with `noHandler`.
  @discardableResult
  public func cancel(keepHandlers: Bool = false) -> TimerReply {
    body.cancel(keepHandlers: keepHandlers)
  }

  /// Ends the timer as `cancel` does and returns when no handler of it runs any more, accepted or
  /// not.
  ///
  /// Called from inside the handler it does not wait. Two handlers that wait for each other wait
  /// for ever.
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
