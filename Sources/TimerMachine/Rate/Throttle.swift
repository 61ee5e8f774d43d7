public import Dispatch

/// Lets at most one action through per interval; the first call acts at once.
///
/// ```swift
/// let progress = try Throttle(interval: .milliseconds(100), factory: factory, queue: queue)
/// progress.call { show(percent) }  // shows the first at once, then the latest every 100 ms
/// ```
/// Safe from any thread and from inside the actions, which run on the queue.
public final class Throttle: Sendable {
  /// What becomes of calls that come before the interval is over.
  public enum Keeping: String, Sendable, Hashable, CaseIterable {
    /// The latest of them acts when the interval is over, and begins the next one.
    case latest
    /// They are dropped: the first call of an interval stands for all.
    case first
  }

  private let schedule: TimerSchedule
  private let keeping: Keeping
  private let pending: PendingAction
  private let machine: TimerMachine

  /// A throttle at rest.
  ///
  /// - Parameters:
  ///   - interval: the shortest time between two actions.
  ///   - keeping: what becomes of the calls between. Default `latest`.
  ///   - leeway: how much longer an interval may be. Default zero.
  ///   - name: for reports. Default `throttle`.
  ///   - factory: where the alarm comes from.
  ///   - queue: where actions run.
  /// - Throws: `TimerError` for a negative or overlong interval or leeway.
  public init(
    interval: Duration, keeping: Keeping = .latest, leeway: Duration = .zero,
    name: String = "throttle", factory: any TimerFactory, queue: DispatchQueue
  ) throws(TimerError) {
    let schedule = try TimerSchedule.once(after: interval, leeway: leeway)
    let pending = PendingAction()
    let machine = TimerMachine(name: name, factory: factory, queue: queue)
    machine.setHandler(TimerHandler.main) { [weak machine] fire in
      let action = pending.state.withLock { state -> PendingAction.Action? in
        guard state.generation == fire.generation else { return nil }
        guard let action = state.replaceAction(with: nil) else { return nil }
        if case .accepted(let generation)? = machine?.activate(schedule) {
          state.generation = generation
        }
        return action
      }
      action?()
    }
    self.schedule = schedule
    self.keeping = keeping
    self.pending = pending
    self.machine = machine
  }

  /// One call; `action` is what is done if this call is let through.
  public func call(_ action: @escaping @Sendable () -> Void) {
    // The machine has no observer, so it calls no one back while the lock is held.
    let (now, dropped) = pending.state.withLock {
      state -> (PendingAction.Action?, PendingAction.Action?) in
      if case .accepted(let generation) = machine.activate(schedule) {
        state.generation = generation
        return (action, state.replaceAction(with: nil))
      }
      guard keeping == .latest else { return (nil, nil) }
      return (nil, state.replaceAction(with: action))
    }
    if let now { machine.body.perform(now) }
    _ = dropped
  }

  /// Drops what waits and ends the interval: the next call acts at once.
  public func cancel() {
    pending.cancel(machine)
  }

  /// Whether an interval goes on.
  public var isActive: Bool { machine.state == .running }
}
