import Dispatch

/// A machine's place in the wake queue. It owns a slot there only while it is armed.
final class CoalescingTimerAdapter: TimerAdapter {
  let wakeQueue: WakeQueue
  let queue: DispatchQueue
  /// Whether `queue` is the wake queue's own: then `onDue` is called in the wake itself.
  let isHome: Bool
  let onDue: @Sendable (UInt64) -> Void
  /// Where its machine is. Only ever prefetched, never read through, so it may be stale; written
  /// once, while the machine is being made and before any other thread knows of it.
  nonisolated(unsafe) var machine: UnsafeRawPointer?
  /// Read and written only by the wake queue under its lock, which makes sharing it safe.
  nonisolated(unsafe) var lastSlot = UInt32.max

  init(
    wakeQueue: WakeQueue, queue: DispatchQueue, onDue: @escaping @Sendable (UInt64) -> Void
  ) {
    self.wakeQueue = wakeQueue
    self.queue = queue
    isHome = wakeQueue.isHome(queue)
    self.onDue = onDue
  }

  func arm(_ arming: TimerArming) {
    wakeQueue.arm(self, arming)
  }

  func disarm() {
    wakeQueue.disarm(self)
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    wakeQueue.perform(on: queue, work)
  }
}
