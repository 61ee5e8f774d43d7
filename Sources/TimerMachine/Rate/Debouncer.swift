public import Dispatch

/// Turns a burst of calls into one action.
///
/// ```swift
/// let saver = try Debouncer(delay: .milliseconds(300), factory: factory, queue: queue)
/// saver.call { save() }  // with each keystroke: saves once, 300 ms after the last
/// ```
/// Safe from any thread and from inside the actions, which run on the queue.
public final class Debouncer: Sendable {
  /// Which call of a burst acts.
  public enum Edge: String, Sendable, Hashable, CaseIterable {
    /// The last one, once there was quiet for the delay.
    case trailing
    /// The first one, at once; the next burst begins after quiet for the delay.
    case leading
  }

  private let schedule: TimerSchedule
  private let edge: Edge
  private let pending: PendingAction
  private let machine: SafeTimer

  /// A debouncer at rest.
  ///
  /// - Parameters:
  ///   - delay: the quiet that ends a burst.
  ///   - edge: which call acts. Default `trailing`.
  ///   - leeway: how much later than the delay a burst may end. Default zero.
  ///   - name: for reports. Default `debouncer`.
  ///   - factory: where the alarm comes from.
  ///   - queue: where actions run.
  /// - Throws: `TimerError` for a negative or overlong delay or leeway.
  public init(
    delay: Duration, edge: Edge = .trailing, leeway: Duration = .zero, name: String = "debouncer",
    factory: any TimerFactory, queue: DispatchQueue
  ) throws(TimerError) {
    schedule = try .once(after: delay, leeway: leeway)
    self.edge = edge
    let pending = PendingAction()
    self.pending = pending
    machine = SafeTimer(name: name, factory: factory, queue: queue) { fire in
      let taken = pending.state.withLock { $0.take(fire) }
      taken.now?()
      taken.later?()
    }
  }

  /// One call of a burst; `action` is what is done if this is the call that acts.
  public func call(_ action: @escaping @Sendable () -> Void) {
    // The machine has no observer, so it calls no one back while the lock is held.
    let (isDoneNow, dropped) = pending.state.withLock {
      state -> (Bool, PendingAction.Action?) in
      var reply = machine.reschedule(schedule)
      let isFirst = !reply.isAccepted
      if isFirst { reply = machine.activate(schedule) }
      if case .accepted(let generation) = reply { state.generation = generation }
      switch edge {
      case .trailing: return (false, state.replaceLater(with: action))
      case .leading:
        if isFirst { state.now = action }
        return (isFirst, nil)
      }
    }
    // Outside the lock: in virtual time the action is done at once.
    if isDoneNow { machine.fireNow() }
    _ = dropped
  }

  /// Ends the burst without acting.
  ///
  /// An action that has begun goes on: see `cancelAndWait()`.
  ///
  /// - Returns: accepted when a burst went on.
  @discardableResult
  public func cancel() -> TimerReply {
    pending.cancel(machine)
  }

  /// Ends the burst without acting and returns when no action of it is being done any more.
  ///
  /// Called from inside an action it does not wait.
  ///
  /// - Returns: accepted when a burst went on.
  @discardableResult
  public func cancelAndWait() -> TimerReply {
    pending.cancelAndWait(machine)
  }

  /// Whether a burst goes on.
  public var isActive: Bool { machine.state == .running }
}
