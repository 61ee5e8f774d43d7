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
  private let machine: TimerMachine

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
    machine = TimerMachine(name: name, factory: factory, queue: queue) { fire in
      pending.take(fire.generation)?()
    }
  }

  /// One call of a burst; `action` is what is done if this is the call that acts.
  public func call(_ action: @escaping @Sendable () -> Void) {
    // The machine has no observer, so it calls no one back while the lock is held.
    let (now, dropped) = pending.state.withLock {
      state -> (PendingAction.Action?, PendingAction.Action?) in
      var reply = machine.reschedule(schedule)
      let isFirst = !reply.isAccepted
      if isFirst { reply = machine.activate(schedule) }
      if case .accepted(let generation) = reply { state.generation = generation }
      switch edge {
      case .trailing: return (nil, state.replaceAction(with: action))
      case .leading: return (isFirst ? action : nil, nil)
      }
    }
    if let now { machine.body.perform(now) }
    _ = dropped
  }

  /// Ends the burst without acting.
  public func cancel() {
    pending.cancel(machine)
  }

  /// Whether a burst goes on.
  public var isActive: Bool { machine.state == .running }
}
