public import Dispatch
public import TaktTime

/// Counts down a duration in ticks, and can be paused.
///
/// A tick comes whenever the remaining time is a multiple of the tick length: for 10 s in ticks of
/// 1 s, at 9, 8 … 1 s. A pause moves all later ticks. Missed ticks are dropped. Safe from any
/// thread and from inside the handlers, which run on the queue.
public final class Countdown: Sendable {
  /// The phase of a countdown.
  public enum Phase: Sendable, Hashable {
    /// Not started, cancelled or ended.
    case idle
    /// Running; ends at this instant.
    case running(until: MonotonicInstant)
    /// Paused, with this much time left.
    case paused(remaining: Duration)
  }

  /// Called with the remaining time.
  public typealias TickHandler = @Sendable (_ remaining: Duration) -> Void
  /// Called when nothing remains.
  public typealias EndHandler = @Sendable () -> Void

  private struct State {
    var phase = Phase.idle
    var generation: UInt64 = 0
    var onTick: TickHandler?
    var onEnd: EndHandler?
  }

  private let duration: Duration
  private let tick: Duration
  private let leeway: Duration
  private let state: Guarded<State>
  private let machine: SafeTimer
  private let time: any TimeSource

  /// Creates a countdown without starting it.
  ///
  /// - Parameters:
  ///   - duration: the whole time.
  ///   - tick: the time between two ticks.
  ///   - leeway: how late a tick may be. Default zero; it does not affect the end.
  ///   - name: for reports. Default `countdown`.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where the handlers run. Default the global queue.
  ///   - onTick: called with the remaining time, a multiple of `tick`. Default none.
  ///   - onEnd: called once when nothing remains. Default none.
  /// - Throws: `TimerError` for a duration, tick or leeway outside its range.
  public convenience init(
    _ duration: Duration, tick: Duration, leeway: Duration = .zero, name: String = "countdown",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    onTick: TickHandler? = nil, onEnd: EndHandler? = nil
  ) throws(TimerError) {
    _ = try TimerSchedule.validated(interval: duration)
    _ = try TimerSchedule.validated(interval: tick)
    _ = try TimerSchedule.validated(leeway: leeway)
    self.init(
      clamping: duration, tick: tick, leeway: leeway, name: name, factory: factory, queue: queue,
      onTick: onTick, onEnd: onEnd)
  }

  /// The same for constants: values outside the valid range are clamped. A duration or a tick that
  /// is not positive becomes `TimerSchedule.shortestClamped`.
  ///
  /// ```swift
  /// private let countdown = Countdown(clamping: .seconds(60), tick: .seconds(1))
  /// ```
  public init(
    clamping duration: Duration, tick: Duration, leeway: Duration = .zero,
    name: String = "countdown", factory: any TimerFactory = CoalescingTimerFactory.shared,
    queue: DispatchQueue = .global(), onTick: TickHandler? = nil, onEnd: EndHandler? = nil
  ) {
    self.duration = .nanoseconds(TimerSchedule.clamped(interval: duration))
    self.tick = .nanoseconds(TimerSchedule.clamped(interval: tick))
    self.leeway = .nanoseconds(TimerSchedule.clamped(leeway))
    state = Guarded(State(onTick: onTick, onEnd: onEnd))
    machine = SafeTimer(name: name, factory: factory, queue: queue)
    time = factory.time
    machine.setHandler(TimerHandler.main) { [weak self] in self?.fired($0) }
  }

  /// The countdown's current phase.
  public var phase: Phase { state.withLock { $0.phase } }

  /// The remaining time; zero when idle.
  public var remaining: Duration {
    switch phase {
    case .idle: .zero
    case .running(let end): max(.zero, end - time.monotonic)
    case .paused(let remaining): remaining
    }
  }

  /// Starts from the whole duration, even while running or paused.
  public func start() {
    state.withLock { run(&$0, until: time.monotonic + duration) }
  }

  /// Starts from the whole duration with these handlers, in place of those before; `nil` means
  /// none. So a countdown can be the default of a property of the object that it calls:
  ///
  /// ```swift
  /// countdown.start(
  ///   onTick: { [weak self] in self?.show($0) }, onEnd: { [weak self] in self?.finish() })
  /// ```
  public func start(onTick: TickHandler?, onEnd: EndHandler?) {
    let previous = state.withLock { state in
      let previous = (state.onTick, state.onEnd)
      (state.onTick, state.onEnd) = (onTick, onEnd)
      run(&state, until: time.monotonic + duration)
      return previous
    }
    // Destroyed outside the lock: what it holds may do anything then.
    _ = previous
  }

  /// Pauses the countdown.
  ///
  /// - Returns: false when it is not running.
  @discardableResult
  public func pause() -> Bool {
    state.withLock { state in
      guard case .running(let end) = state.phase else { return false }
      machine.cancel(keepHandlers: true)
      state.phase = .paused(remaining: max(.zero, end - time.monotonic))
      return true
    }
  }

  /// Continues a paused countdown.
  ///
  /// - Returns: false when it is not paused.
  @discardableResult
  public func resume() -> Bool {
    state.withLock { state in
      guard case .paused(let remaining) = state.phase else { return false }
      run(&state, until: time.monotonic + remaining)
      return true
    }
  }

  /// Ends the countdown without calling `onEnd`. It keeps its handlers, so that it can be started
  /// again; let them capture its owner weakly.
  ///
  /// A running handler continues; see `cancelAndWait()`.
  ///
  /// - Returns: false if it was idle; then `onEnd` has been called, or is being called.
  @discardableResult
  public func cancel() -> Bool {
    state.withLock { state in
      machine.cancel(keepHandlers: true)
      defer { state.phase = .idle }
      return state.phase != .idle
    }
  }

  /// Ends the countdown, and returns when neither handler is running.
  ///
  /// Does not wait if called from inside a handler.
  ///
  /// - Returns: as for `cancel()`.
  @discardableResult
  public func cancelAndWait() -> Bool {
    let wasOn = cancel()
    machine.cancelAndWait(keepHandlers: true)
    return wasOn
  }

  private func run(_ state: inout State, until end: MonotonicInstant) {
    machine.cancel(keepHandlers: true)
    state.phase = .running(until: end)
    arm(&state, end: end, after: time.monotonic)
  }

  /// Arms the next moment after `moment` at which a whole number of ticks remains.
  private func arm(_ state: inout State, end: MonotonicInstant, after moment: MonotonicInstant) {
    let left = (end - moment).nanosecondsSaturated
    let length = tick.nanosecondsSaturated
    let ticks = max(0, (left - 1) / length)
    // The leeway was validated when the countdown was made.
    guard
      let schedule = try? TimerSchedule.once(
        at: end - .nanoseconds(ticks * length), leeway: leeway),
      case .accepted(let generation) = machine.body.activate(schedule)
    else { return }
    state.generation = generation
  }

  private func fired(_ fire: TimerFire) {
    let due = state.withLock { state -> EndHandler? in call(for: fire, in: &state) }
    due?()
  }

  /// The handler to call for a fire; `nil` if the fire belongs to a time before a change.
  private func call(for fire: TimerFire, in state: inout State) -> EndHandler? {
    guard case .running(let end) = state.phase, state.generation == fire.generation else {
      return nil
    }
    guard fire.claimedAt < end else {
      state.phase = .idle
      return state.onEnd
    }
    arm(&state, end: end, after: fire.claimedAt)
    guard let onTick = state.onTick else { return nil }
    let remaining = end - fire.deadline
    return { onTick(remaining) }
  }
}
