public import Dispatch
import TaktTime

/// Turns a burst of calls into one action.
///
/// ```swift
/// let saver = Debouncer(clamping: .milliseconds(300))
/// saver.call { save() }  // with each keystroke: saves once, 300 ms after the last
/// ```
/// Safe from any thread and from inside the actions, which run on the queue.
public final class Debouncer: Sendable {
  /// The call of a burst that acts.
  public enum Edge: String, Sendable, Hashable, CaseIterable {
    /// The last call, after a quiet time of `delay`.
    case trailing
    /// The first call, at once; the next burst starts after a quiet time of `delay`.
    case leading
  }

  /// The quiet time that ends a burst, and its greatest length.
  private struct Pace {
    let delay: Duration
    let longestWait: Duration?

    init(clamping delay: Duration, _ longestWait: Duration?) {
      self.delay = .nanoseconds(TimerSchedule.clamped(delay))
      self.longestWait = longestWait.map { .nanoseconds(TimerSchedule.clamped($0)) }
    }
  }

  /// Calls that make one action.
  private struct Burst {
    let first: MonotonicInstant
    var last: MonotonicInstant

    /// The instant at which it ends, if no call follows.
    func end(at pace: Pace) -> MonotonicInstant {
      let quiet = last + pace.delay
      return pace.longestWait.map { min(quiet, first + $0) } ?? quiet
    }
  }

  private struct State {
    var pace: Pace
    var burst: Burst?
    var pending = PendingAction()
  }

  private let edge: Edge
  private let leeway: Duration
  private let time: any TimeSource
  private let state: Guarded<State>
  private let machine: SafeTimer

  /// Creates a debouncer.
  ///
  /// - Parameters:
  ///   - delay: the quiet that ends a burst.
  ///   - edge: which call acts. Default `trailing`.
  ///   - longestWait: the maximum length of a burst, counted from its first call. Default `nil`: no
  ///     maximum.
  ///   - leeway: how much later than the delay a burst may end. Default zero.
  ///   - name: for reports. Default `debouncer`.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where actions run. Default the global queue.
  ///   - observer: called for every transition of the timer. Default none.
  /// - Throws: `TimerError` for a delay, wait or leeway that is negative or overlong.
  public convenience init(
    delay: Duration, edge: Edge = .trailing, longestWait: Duration? = nil,
    leeway: Duration = .zero, name: String = "debouncer",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil
  ) throws(TimerError) {
    _ = try TimerSchedule.validated(delay: delay)
    _ = try TimerSchedule.validated(leeway: leeway)
    if let longestWait { _ = try TimerSchedule.validated(delay: longestWait) }
    self.init(
      clamping: delay, edge: edge, longestWait: longestWait, leeway: leeway, name: name,
      factory: factory, queue: queue, observer: observer)
  }

  /// The same for constants: values outside the valid range are clamped.
  public init(
    clamping delay: Duration, edge: Edge = .trailing, longestWait: Duration? = nil,
    leeway: Duration = .zero, name: String = "debouncer",
    factory: any TimerFactory = CoalescingTimerFactory.shared, queue: DispatchQueue = .global(),
    observer: (any TimerObserver)? = nil
  ) {
    self.edge = edge
    self.leeway = leeway
    time = factory.time
    state = Guarded(State(pace: Pace(clamping: delay, longestWait)))
    machine = SafeTimer(name: name, factory: factory, queue: queue, observer: observer)
    machine.setHandler(TimerHandler.main) { [weak self] in self?.fired($0) }
  }

  private func fired(_ fire: TimerFire) {
    let (first, then) = state.withLock { ($0.pending.popDue(), endBurst(in: &$0, by: fire)) }
    machine.body.settle()
    first?()
    then?()
  }

  /// The timer has fired: the burst is over, unless calls have put off its end.
  ///
  /// A call does not move the timer, so that a flood of calls costs no more than a few of them.
  private func endBurst(in state: inout State, by fire: TimerFire) -> PendingAction.Action? {
    guard let burst = state.burst, state.pending.isAwaiting(fire) else { return nil }
    guard burst.end(at: state.pace) <= time.monotonic else {
      arm(for: burst, in: &state)
      return nil
    }
    state.burst = nil
    return state.pending.replaceLater(with: nil)
  }

  /// Under the lock; what the machine has to report it reports when it is settled.
  private func arm(for burst: Burst, in state: inout State) {
    let schedule = TimerSchedule.once(at: burst.end(at: state.pace), leewayClamping: leeway)
    if case .accepted(let generation) = machine.body.setScheduleQuietly(schedule) {
      state.pending.generation = generation
    }
  }

  /// Adds a call to the burst; `action` runs if this is the call that acts.
  public func call(_ action: @escaping @Sendable () -> Void) {
    let (isDoneNow, dropped) = state.withLock { state -> (Bool, PendingAction.Action?) in
      let now = time.monotonic
      let isFirst = state.burst == nil
      var burst = state.burst ?? Burst(first: now, last: now)
      burst.last = max(burst.last, now)
      state.burst = burst
      if isFirst { arm(for: burst, in: &state) }
      switch edge {
      case .trailing: return (false, state.pending.replaceLater(with: action))
      case .leading:
        if isFirst { state.pending.now = action }
        return (isFirst, nil)
      }
    }
    machine.body.settle()
    // Outside the lock: in virtual time the action is done at once.
    if isDoneNow { _ = machine.body.fireNow() }
    _ = dropped
  }

  /// Changes the delay and the longest wait; values outside their range are clamped.
  ///
  /// They apply to an active burst too: it ends at once if it would be over by now.
  public func change(delay: Duration, longestWait: Duration? = nil) {
    state.withLock { state in
      state.pace = Pace(clamping: delay, longestWait)
      if let burst = state.burst { arm(for: burst, in: &state) }
    }
    machine.body.settle()
  }

  /// Ends the burst without acting.
  ///
  /// A running action continues; see `cancelAndWait()`.
  ///
  /// - Returns: accepted if a burst was active.
  @discardableResult
  public func cancel() -> TimerReply {
    let (reply, dropped) = state.withLock { state -> (TimerReply, PendingAction) in
      let machineState = machine.state
      guard state.burst != nil else { return (.refused(state: machineState), state.pending) }
      state.burst = nil
      // One whose handler waits for this lock is over already.
      if machineState == .running { _ = machine.body.operateQuietly(.cancel) }
      return (.accepted(generation: state.pending.generation), state.pending.dropAll())
    }
    machine.body.settle()
    _ = dropped
    return reply
  }

  /// Ends the burst without acting, and returns when none of its actions is running.
  ///
  /// Does not wait if called from inside an action.
  ///
  /// - Returns: accepted if a burst was active.
  @discardableResult
  public func cancelAndWait() -> TimerReply {
    let reply = cancel()
    machine.cancelAndWait(keepHandlers: true)
    resumeBurst()
    return reply
  }

  /// A call that came while the timer was being cancelled keeps its burst.
  private func resumeBurst() {
    let isDoneNow = state.withLock { state in
      guard let burst = state.burst, machine.state != .running else { return false }
      arm(for: burst, in: &state)
      return state.pending.now != nil
    }
    machine.body.settle()
    if isDoneNow { _ = machine.body.fireNow() }
  }

  /// True while a burst is active.
  public var isActive: Bool { state.withLock { $0.burst != nil } }
}
