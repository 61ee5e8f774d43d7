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
  private let machine: SafeTimer

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
    let machine = SafeTimer(name: name, factory: factory, queue: queue)
    machine.setHandler(TimerHandler.main) { [weak machine] fire in
      let taken = pending.state.withLock { state in
        let taken = state.take(fire)
        if taken.later != nil, case .accepted(let generation)? = machine?.activate(schedule) {
          state.generation = generation
        }
        return taken
      }
      taken.now?()
      taken.later?()
    }
    self.schedule = schedule
    self.keeping = keeping
    self.pending = pending
    self.machine = machine
  }

  /// One call; `action` is what is done if this call is let through.
  public func call(_ action: @escaping @Sendable () -> Void) {
    // The machine has no observer, so it calls no one back while the lock is held.
    let (isDoneNow, dropped) = pending.state.withLock {
      state -> (Bool, PendingAction.Action?) in
      if case .accepted(let generation) = machine.activate(schedule) {
        state.generation = generation
        state.now = action
        return (true, state.replaceLater(with: nil))
      }
      return (false, keeping == .latest ? state.replaceLater(with: action) : nil)
    }
    // Outside the lock: in virtual time the action is done at once.
    if isDoneNow { machine.fireNow() }
    _ = dropped
  }

  /// Drops what waits and ends the interval: the next call acts at once.
  ///
  /// An action that has begun goes on: see `cancelAndWait()`.
  ///
  /// - Returns: accepted when an interval went on.
  @discardableResult
  public func cancel() -> TimerReply {
    pending.cancel(machine)
  }

  /// Drops what waits, ends the interval and returns when no action of it is being done any more.
  ///
  /// Called from inside an action it does not wait.
  ///
  /// - Returns: accepted when an interval went on.
  @discardableResult
  public func cancelAndWait() -> TimerReply {
    pending.cancelAndWait(machine)
  }

  /// Whether an interval goes on.
  public var isActive: Bool { machine.state == .running }
}
