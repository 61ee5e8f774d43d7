public import Dispatch
public import TaktTime

/// One alarm for any number of machines, with the fewest wakes that their leeways allow.
///
/// It sleeps until the earliest moment at which some timer must start (its deadline plus its
/// leeway, less a guard of a tenth of the leeway, at most 5 ms) and then serves every timer whose
/// deadline has come. Three things follow:
///
/// - A lone timer with leeway normally fires late by nearly its leeway. That is what leeway means:
///   ask for none where lateness matters.
/// - Timers with leeway ride along on the wakes of others, also across unrelated intervals.
/// - With nothing armed it makes no wakes at all.
///
/// The machines' queues are best few. A wake hands each queue its share in one block, so a serial
/// queue for each timer would undo the saving. On the factory's own queue handlers are called
/// directly in the wake; a long handler there holds up every timer of the factory.
public final class CoalescingTimerFactory: TimerFactory {
  let wakeQueue: WakeQueue

  /// The clocks that deadlines are measured on.
  public var time: any TimeSource { wakeQueue.time }

  /// As the factory that it stands over.
  public let isVirtual: Bool

  /// A factory over one dispatch timer.
  ///
  /// - Parameters:
  ///   - queue: where the wakes happen; serial. Machines made for the same queue are served there
  ///     without a hop.
  ///   - time: must run with the system's monotonic clock.
  public convenience init(queue: DispatchQueue, time: any TimeSource = SystemTimeSource()) {
    self.init(queue: queue, over: DispatchTimerFactory(time: time))
  }

  /// A factory over one alarm of another factory.
  ///
  /// Over `ManualTimerFactory` of `TimerMachineTesting` the same wakes happen in virtual time.
  ///
  /// - Parameters:
  ///   - queue: where the wakes happen; serial.
  ///   - underlying: makes the alarm, and its clocks become this factory's.
  public init(queue: DispatchQueue, over underlying: any TimerFactory) {
    isVirtual = underlying.isVirtual
    wakeQueue = WakeQueue(home: queue, underlying: underlying)
  }

  // All that is armed in the wake queue holds the factory, so that nothing is armed now.
  deinit {
    wakeQueue.close()
  }

  /// What the factory has done so far; read under its lock.
  public var statistics: WakeStatistics { wakeQueue.statistics }

  /// Makes an adapter that is armed for nothing; see `TimerFactory`.
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

  override func deadlineCame(ticket: UInt64) { onDue(ticket) }

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

/// What a coalescing factory has done since it was made.
public struct WakeStatistics: Sendable, Hashable {
  /// Timers armed at this moment.
  public let armed: Int
  /// Times the alarm rang.
  public let wakes: UInt64
  /// Deadlines served, all wakes together.
  public let served: UInt64
  /// Times the alarm was set.
  public let alarmSettings: UInt64
  /// Heap nodes moved: the work of keeping order.
  public let heapMoves: UInt64
}
