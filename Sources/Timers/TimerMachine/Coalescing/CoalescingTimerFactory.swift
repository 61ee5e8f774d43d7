public import Dispatch
public import TaktTime

/// Serves any number of machines with one alarm and the fewest wake-ups that their leeways allow.
///
/// It sleeps until the first timer must fire (its deadline plus its leeway, less a guard of a tenth
/// of the leeway, at most 5 ms) and then serves every timer whose deadline has passed.
/// Consequences:
///
/// - A timer with leeway usually fires late by almost all of it, even if it is the only one. Use no
///   leeway where punctuality matters.
/// - Timers with leeway share the wake-ups of others, even if their intervals are unrelated.
/// - Without an armed timer there are no wake-ups.
///
/// Use few queues for the machines. A wake hands each queue its share in one block, so one serial
/// queue per timer would cost what the shared wake-up saves. On the factory's own queue, handlers
/// run directly in the wake-up; a long handler there delays every timer of the factory.
public final class CoalescingTimerFactory: TimerFactory {
  let wakeQueue: WakeQueue

  /// The clocks that deadlines are measured on.
  public var time: any TimeSource { wakeQueue.time }

  /// The same as for the underlying factory.
  public let isVirtual: Bool

  /// A factory over one dispatch timer.
  ///
  /// - Parameters:
  ///   - queue: where wake-ups happen; serial. Machines on the same queue are served without a hop.
  ///   - time: must run with the system's monotonic clock.
  public convenience init(queue: DispatchQueue, time: any TimeSource = SystemTimeSource()) {
    self.init(queue: queue, over: DispatchTimerFactory(time: time))
  }

  /// A factory over one alarm of another factory.
  ///
  /// Over `ManualTimerFactory` of `TimerMachineTesting` the same wake-ups happen in virtual time.
  ///
  /// - Parameters:
  ///   - queue: where wake-ups happen; serial.
  ///   - underlying: makes the alarm, and its clocks become this factory's.
  public init(queue: DispatchQueue, over underlying: any TimerFactory) {
    isVirtual = underlying.isVirtual
    wakeQueue = WakeQueue(home: queue, underlying: underlying)
  }

  // All that is armed in the wake queue holds the factory, so that nothing is armed now.
  deinit {
    wakeQueue.close()
  }

  /// Counts of the factory's work so far, read under its lock.
  public var statistics: WakeStatistics { wakeQueue.statistics }

  /// Creates an adapter that is not armed; see `TimerFactory`.
  public func makeAdapter(
    queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
  ) -> any TimerAdapter {
    CoalescingTimerAdapter(factory: self, queue: queue, onDue: onDue)
  }
}

/// A place in the wake queue for those who are no machine: a machine is armed there itself. It owns
/// a slot only while it is armed.
///
/// `@unchecked Sendable` as `WakeClient` is; it adds nothing that changes.
final class CoalescingTimerAdapter: WakeClient, TimerAdapter, @unchecked Sendable {
  private let factory: CoalescingTimerFactory
  private let callQueue: DispatchQueue
  private let onDue: @Sendable (UInt64) -> Void

  init(
    factory: CoalescingTimerFactory, queue: DispatchQueue,
    onDue: @escaping @Sendable (UInt64) -> Void
  ) {
    self.factory = factory
    callQueue = queue
    self.onDue = onDue
    super.init(isHome: factory.wakeQueue.isHome(queue))
  }

  override var queue: DispatchQueue { callQueue }

  override func deadlineReached(ticket: UInt64) { onDue(ticket) }

  func arm(_ arming: TimerArming) {
    factory.wakeQueue.arm(self, arming)
  }

  func disarm() {
    factory.wakeQueue.disarm(self)
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    factory.wakeQueue.perform(on: queue, work)
  }
}

/// Counts of a coalescing factory's work since it was created.
public struct WakeStatistics: Sendable, Hashable {
  /// Timers that are armed now.
  public let armed: Int
  /// Wake-ups of the alarm.
  public let wakes: UInt64
  /// Deadlines served in all wake-ups.
  public let served: UInt64
  /// Times the alarm was set.
  public let alarmSettings: UInt64
  /// Heap nodes moved: the work of keeping order.
  public let heapMoves: UInt64
}
