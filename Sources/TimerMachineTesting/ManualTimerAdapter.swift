import TimerMachine

/// One alarm in virtual time.
final class ManualTimerAdapter: TimerAdapter {
  let factory: ManualTimerFactory
  let onDue: @Sendable (UInt64) -> Void
  /// Read and written only by the factory under its lock, which makes sharing it safe.
  nonisolated(unsafe) var lastSlot = UInt32.max

  init(factory: ManualTimerFactory, onDue: @escaping @Sendable (UInt64) -> Void) {
    self.factory = factory
    self.onDue = onDue
  }

  func arm(_ arming: TimerArming) {
    factory.arm(self, arming)
  }

  func disarm() {
    factory.disarm(self)
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    factory.perform(work)
  }
}
