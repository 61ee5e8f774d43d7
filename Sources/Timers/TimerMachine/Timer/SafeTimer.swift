public import Dispatch
public import TaktTime

/// A timer that cannot be misused: a finite-state machine around one system alarm.
///
/// Every operation may be called from any thread, in any order and from inside the handler; none
/// traps, and only `cancelAndWait()` and `suspendAndWait()` wait. An operation that is not legal in
/// a state is refused: it is ignored, counted and reported to the observer. A debug build also
/// writes to standard error, once, where a refusal means that nothing runs. The table is
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

  /// Creates a machine in the state `idle` without a handler: pass it to `activate`.
  ///
  /// ```swift
  /// private let timer = SafeTimer()
  ///
  /// func start() {
  ///   timer.activate(.every(clamping: .seconds(30))) { [weak self] in self?.send() }
  /// }
  /// ```
  /// - Parameters:
  ///   - name: for reports; it need not be unique. Default `timer`.
  ///   - schedule: what `start()`, and `resume()` while the machine is idle, begin. A machine made
  ///     with a schedule keeps its handlers over `cancel()`, so that it can be started again.
  ///     Default none.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where the handler is called, never twice at a time. Its quality of service is the
  ///     handler's: on Linux, only that of the queue's root counts. Default the global queue.
  ///   - observer: called for every transition. Default none, which costs nothing.
  public init(
    name: String = "timer", schedule: TimerSchedule? = nil,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil
  ) {
    body = MachineBody(
      id: nil,
      in: TimerGroup.alone(
        name: name, factory: factory, queue: queue, observer: observer, handler: nil,
        schedule: schedule))
  }

  /// Creates a machine in the state `idle`.
  ///
  /// - Parameters:
  ///   - name: for reports; it need not be unique. Default `timer`.
  ///   - schedule: what `start()` begins. Default none.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where the handler is called. Default the global queue.
  ///   - observer: called for every transition. Default none.
  ///   - handler: called for each fire.
  public init(
    name: String = "timer", schedule: TimerSchedule? = nil,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil, handler: @escaping @Sendable (TimerFire) -> Void
  ) {
    body = MachineBody(
      id: nil,
      in: TimerGroup.alone(
        name: name, factory: factory, queue: queue, observer: observer, handler: .own(handler),
        schedule: schedule))
  }

  /// Creates a machine in the state `idle`, whose handler takes nothing.
  public convenience init(
    name: String = "timer", schedule: TimerSchedule? = nil,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil, handler: @escaping @Sendable () -> Void
  ) {
    self.init(
      name: name, schedule: schedule, factory: factory, queue: queue, observer: observer,
      handler: { _ in handler() })
  }

  /// Creates a machine in the state `idle`, whose handler receives the machine and need not capture
  /// it.
  ///
  /// - Parameters:
  ///   - name: for reports; it need not be unique. Default `timer`.
  ///   - schedule: what `start()` begins. Default none.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where the handler is called. Default the global queue.
  ///   - observer: called for every transition. Default none.
  ///   - handler: called with the machine for each fire, unless the machine has been released.
  public convenience init(
    name: String = "timer", schedule: TimerSchedule? = nil,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil,
    handler: @escaping @Sendable (_ machine: SafeTimer, _ fire: TimerFire) -> Void
  ) {
    self.init(
      name: name, schedule: schedule, factory: factory, queue: queue, observer: observer)
    body.group.setOwnHandler(weakly(handler))
  }

  /// Makes a machine of a group, in the state `idle`.
  ///
  /// - Parameter number: the machine's `id`; unique in the group.
  package init(number: UInt64, in group: TimerGroup) {
    body = MachineBody(id: number, in: group)
  }

  deinit {
    body.release()
  }

  /// A handler that gets this machine and does not keep it alive.
  func weakly(
    _ handler: @escaping @Sendable (_ machine: SafeTimer, _ fire: TimerFire) -> Void
  ) -> MainHandler {
    .own { [weak self] fire in
      if let self { handler(self, fire) }
    }
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
}
