public import Dispatch

/// Lets at most one action through per interval; the first call acts at once.
///
/// ```swift
/// let progress = Throttle(clamping: .milliseconds(100))
/// progress.call { show(percent) }  // shows the first at once, then the latest every 100 ms
/// ```
/// Safe from any thread and from inside the actions, which run on the queue.
public final class Throttle: Sendable {
  /// The handling of calls before the interval is over.
  public enum Keeping: String, Sendable, Hashable, CaseIterable {
    /// The latest call acts when the interval is over, and starts the next interval.
    case latest
    /// They are dropped; only the first call of an interval acts.
    case first
  }

  private let schedule: TimerSchedule
  private let keeping: Keeping
  private let pending = Guarded(PendingAction())
  private let machine: SafeTimer

  /// Creates a throttle.
  ///
  /// - Parameters:
  ///   - interval: the shortest time between two actions.
  ///   - keeping: the handling of the calls in between. Default `latest`.
  ///   - leeway: how much longer an interval may be. Default zero.
  ///   - name: for reports. Default `throttle`.
  ///   - factory: where the alarm comes from. Default the shared one.
  ///   - queue: where actions run. Default the global queue.
  /// - Throws: `TimerError` for a negative or overlong interval or leeway.
  public convenience init(
    interval: Duration, keeping: Keeping = .latest, leeway: Duration = .zero,
    name: String = "throttle", factory: any TimerFactory = CoalescingTimerFactory.shared,
    queue: DispatchQueue = .global()
  ) throws(TimerError) {
    _ = try TimerSchedule.once(after: interval, leeway: leeway)
    self.init(
      clamping: interval, keeping: keeping, leeway: leeway, name: name, factory: factory,
      queue: queue)
  }

  /// The same for constants: values outside the valid range are clamped.
  public init(
    clamping interval: Duration, keeping: Keeping = .latest, leeway: Duration = .zero,
    name: String = "throttle", factory: any TimerFactory = CoalescingTimerFactory.shared,
    queue: DispatchQueue = .global()
  ) {
    schedule = .once(afterClamping: interval, leeway: leeway)
    self.keeping = keeping
    machine = SafeTimer(name: name, factory: factory, queue: queue)
    machine.setHandler(TimerHandler.main) { [weak self] in self?.fired($0) }
  }

  private func fired(_ fire: TimerFire) {
    let (first, then) = pending.withLock { pending in
      let first = pending.popDue()
      let then = pending.isAwaiting(fire) ? pending.replaceLater(with: nil) : nil
      if then != nil, case .accepted(let generation) = machine.body.activate(schedule) {
        pending.generation = generation
      }
      return (first, then)
    }
    first?()
    then?()
  }

  /// Calls the throttle; `action` runs if this call is let through.
  public func call(_ action: @escaping @Sendable () -> Void) {
    // The machine has no observer, so it calls no one back while the lock is held.
    let (isDoneNow, dropped) = pending.withLock { pending -> (Bool, PendingAction.Action?) in
      if case .accepted(let generation) = machine.body.activate(schedule) {
        pending.generation = generation
        pending.now = action
        return (true, pending.replaceLater(with: nil))
      }
      return (false, keeping == .latest ? pending.replaceLater(with: action) : nil)
    }
    // Outside the lock: in virtual time the action is done at once.
    if isDoneNow { _ = machine.body.fireNow() }
    _ = dropped
  }

  /// Drops the waiting action and ends the interval; the next call acts at once.
  ///
  /// A running action continues; see `cancelAndWait()`.
  ///
  /// - Returns: accepted if an interval was active.
  @discardableResult
  public func cancel() -> TimerReply {
    let (reply, dropped) = pending.withLock {
      (machine.cancel(keepHandlers: true), $0.dropAll())
    }
    _ = dropped
    return reply
  }

  /// Drops the waiting action, ends the interval, and returns when none of its actions is running.
  ///
  /// Does not wait if called from inside an action.
  ///
  /// - Returns: accepted if an interval was active.
  @discardableResult
  public func cancelAndWait() -> TimerReply {
    let reply = cancel()
    machine.cancelAndWait(keepHandlers: true)
    // A call that was let through meanwhile keeps its interval.
    let isDoneNow = pending.withLock { pending in
      guard pending.now != nil, case .accepted(let generation) = machine.body.activate(schedule)
      else {
        return false
      }
      pending.generation = generation
      return true
    }
    if isDoneNow { _ = machine.body.fireNow() }
    return reply
  }

  /// True while an interval is active.
  public var isActive: Bool { machine.state == .running }
}
