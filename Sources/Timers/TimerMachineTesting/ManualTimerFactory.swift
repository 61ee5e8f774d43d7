public import Dispatch
public import TaktTime
public import TimerMachine

/// Timers in virtual time: nothing happens until a test advances the time.
///
/// Handlers run inside `advance`, on the calling thread, in the order of their deadlines, with the
/// clock at each deadline; equal deadlines keep the order of their arming. The queues of the
/// machines are not used. Leeway is ignored: to test shared wake-ups, put a
/// `CoalescingTimerFactory(queue:over:)` over this factory.
public final class ManualTimerFactory: TimerFactory {
  private struct State {
    var table = WakeTable<ManualTimerAdapter>()
    var work: [@Sendable () -> Void] = []
    var isWorking = false
    var armings: UInt64 = 0
  }

  /// The virtual clocks.
  public let clock: ManualClock
  private let state = Guarded(State())

  /// The clocks that deadlines are measured on.
  public var time: any TimeSource { clock }

  /// True: `advance` moves it.
  public var isVirtual: Bool { true }

  /// Creates a factory with nothing armed.
  ///
  /// - Parameter clock: the virtual clocks. By default they start at monotonic 0 s and wall
  ///   2026-01-01T00:00:00Z.
  public init(clock: ManualClock = ManualClock()) {
    self.clock = clock
  }

  /// Creates an adapter that is not armed; see `TimerFactory`.
  public func makeAdapter(
    queue: DispatchQueue, onDue: @escaping @Sendable (_ ticket: UInt64) -> Void
  ) -> any TimerAdapter {
    ManualTimerAdapter(factory: self, onDue: onDue)
  }

  /// The number of armed timers.
  public var armedCount: Int { state.withLock { $0.table.count } }

  /// The number of armings so far.
  public var armings: UInt64 { state.withLock { $0.armings } }

  /// The earliest armed deadline.
  public var nextDeadline: MonotonicInstant? { state.withLock { $0.table.nextDue } }

  /// Advances both clocks by `duration`, and fires every timer that is due. Zero fires the timers
  /// that are due now.
  public func advance(by duration: Duration) {
    advance(to: clock.monotonic + duration)
  }

  /// Advances time to `instant`, and fires every timer that is due, at its own deadline.
  public func advance(to instant: MonotonicInstant) {
    while let served = popNext(until: instant) { served.owner.onDue(served.ticket) }
    clock.pass(to: instant)
  }

  /// Advances time to the next armed deadline and fires it.
  ///
  /// - Returns: false when nothing is armed.
  @discardableResult
  public func advanceToNext() -> Bool {
    guard let served = popNext(until: .distantFuture) else { return false }
    served.owner.onDue(served.ticket)
    return true
  }

  /// Advances time by `duration` while nothing can fire, as in a stall; then fires every timer that
  /// is due.
  public func stall(by duration: Duration) {
    clock.pass(to: clock.monotonic + duration)
    advance(by: .zero)
  }

  /// Sets the wall clock, as a person or a time server would, and calls the watchers.
  public func setWall(_ instant: WallInstant) {
    clock.setWall(instant)
  }

  private func popNext(until instant: MonotonicInstant) -> WakeTable<ManualTimerAdapter>.Served? {
    state.withLock { state in
      guard let due = state.table.nextDue, due <= instant, due < .distantFuture else { return nil }
      clock.pass(to: due)
      return state.table.popDue(at: clock.monotonic)
    }
  }

  func arm(_ adapter: ManualTimerAdapter, _ arming: TimerArming) {
    var exact = arming
    exact.leeway = .zero
    state.withLock { state in
      state.armings += 1
      adapter.lastSlot = state.table.arm(adapter, lastSlot: adapter.lastSlot, exact)
    }
  }

  func disarm(_ adapter: ManualTimerAdapter) {
    state.withLock { $0.table.disarm(adapter, lastSlot: adapter.lastSlot) }
  }

  /// Runs work at once, or after the work that is being done.
  func perform(_ work: @escaping @Sendable () -> Void) {
    var next = state.withLock { state -> (@Sendable () -> Void)? in
      if state.isWorking {
        state.work.append(work)
        return nil
      }
      state.isWorking = true
      return work
    }
    while let current = next {
      current()
      next = state.withLock { state in
        if state.work.isEmpty {
          state.isWorking = false
          return nil
        }
        return state.work.removeFirst()
      }
    }
  }
}

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
