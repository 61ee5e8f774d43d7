public import Dispatch
import TaktTime

extension CoalescingTimerFactory {
  /// The factory that the whole process can share.
  public static let shared = CoalescingTimerFactory(
    queue: DispatchQueue(label: "TimerMachine.shared"))
}

extension SafeTimer {
  /// Creates and starts a timer that fires at equal intervals until it is cancelled or released.
  ///
  /// ```swift
  /// let heartbeat = SafeTimer.ticker(every: .seconds(30)) { _ in sendHeartbeat() }
  /// ```
  /// - Parameters:
  ///   - interval: the time between two fires; the first fire is one interval from now. Values
  ///     outside the range of `TimerSchedule.every` are clamped.
  ///   - leeway: how much later a fire may be, to save wake-ups. Default zero.
  ///   - name: for reports. Default `ticker`.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where the handler is called, never twice at a time. Default the global queue.
  ///   - handler: called for each fire.
  public static func ticker(
    every interval: Duration, leeway: Duration = .zero, name: String = "ticker",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    handler: @escaping TimerHandler.Call
  ) -> SafeTimer {
    let machine = SafeTimer(name: name, factory: factory, queue: queue, handler: handler)
    machine.activate(.every(clamping: interval, leeway: leeway))
    return machine
  }

  /// Fires at equal intervals, as a sequence that owns its timer. The timer ends with the task of
  /// the loop, or when the sequence is released. Leaving the loop ends it too, if nothing else
  /// holds the sequence.
  ///
  /// ```swift
  /// for await tick in SafeTimer.ticks(every: .seconds(1)) { print(tick.sequence) }
  /// ```
  /// - Parameters:
  ///   - interval: as for `ticker`.
  ///   - leeway: how much later a fire may be. Default zero.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where fires are claimed. Default the global queue. In virtual time, use the
  ///     factory's queue: on any other, all periods that one `advance` passes make a single fire.
  public static func ticks(
    every interval: Duration, leeway: Duration = .zero,
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global()
  ) -> AsyncStream<TimerFire> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: TimerFire.self, bufferingPolicy: TickBuffer.policy(of: factory))
    let machine = ticker(
      every: interval, leeway: leeway, name: "ticks", factory: factory, queue: queue
    ) { continuation.yield($0) }
    // The one reference to the machine; `cancel` lets go of the handler, which holds the sequence.
    continuation.onTermination = { _ in machine.cancel() }
    return stream
  }
}

/// How many fires wait for a reader of `ticks`.
enum TickBuffer {
  static func policy(
    of factory: any TimerFactory
  ) -> AsyncStream<TimerFire>.Continuation.BufferingPolicy {
    factory.isVirtual ? .unbounded : .bufferingNewest(16)
  }
}
