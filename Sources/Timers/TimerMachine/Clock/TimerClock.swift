public import Dispatch
public import TaktTime

/// A `Clock` over any factory. Its sleepers share the wake-ups of the factory's other timers, or
/// wait until a test moves virtual time.
///
/// ```swift
/// let clock = TimerClock(factory: factory)
/// try await clock.sleep(for: .seconds(5), tolerance: .seconds(1))
/// ```
/// Pass it to anything that takes a `Clock`: `Task.sleep(until:clock:)`, a debounce or a timer
/// sequence of another library.
public struct TimerClock: Clock {
  private let factory: any TimerFactory
  private let queue: DispatchQueue
  private let tolerance: Duration

  /// Creates a clock over `factory`.
  ///
  /// - Parameters:
  ///   - factory: where the alarms come from. Default the shared one.
  ///   - queue: where alarms are claimed before the sleeper continues. Default the global queue.
  ///   - tolerance: how much later a sleeper without a tolerance of its own may continue. Default
  ///     zero.
  public init(
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    tolerance: Duration = .zero
  ) {
    self.factory = factory
    self.queue = queue
    self.tolerance = tolerance
  }

  /// The factory's monotonic clock.
  public var now: MonotonicInstant { factory.time.monotonic }

  /// One nanosecond; how late a sleeper continues depends on the system.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Waits until `deadline`.
  ///
  /// - Parameters:
  ///   - deadline: when to continue; at once if it has passed.
  ///   - tolerance: how much later it may be; values outside the valid range are clamped. Default:
  ///     that of the clock.
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: MonotonicInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let sleeper = Sleeper()
    let machine = SafeTimer(name: "sleep", factory: factory, queue: queue)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        sleeper.sleep(continuation)
        machine.activate(.once(at: deadline, leewayClamping: tolerance ?? self.tolerance)) {
          sleeper.wake(.success(()))
        }
      }
    } onCancel: {
      sleeper.wake(.failure(CancellationError()))
    }
    machine.cancel()
  }
}

/// One sleep, which ends once: by its alarm or by cancellation, also by one that comes before it
/// has begun.
private final class Sleeper: Sendable {
  private enum State {
    case awake
    case asleep(CheckedContinuation<Void, any Error>)
    case over(Result<Void, any Error>)
  }

  private let state = Guarded(State.awake)

  func sleep(_ continuation: CheckedContinuation<Void, any Error>) {
    let result = state.withLock { state -> Result<Void, any Error>? in
      if case .over(let result) = state { return result }
      state = .asleep(continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
  }

  func wake(_ result: Result<Void, any Error>) {
    let sleeper = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      defer { if case .over = state {} else { state = .over(result) } }
      if case .asleep(let continuation) = state { return continuation }
      return nil
    }
    sleeper?.resume(with: result)
  }
}
