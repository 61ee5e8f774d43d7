public import TaktTime

/// Observes every transition of its machines, including refused operations.
///
/// Calls for one machine are in order and never overlap; they come on the thread that changed the
/// machine; calls for different machines may overlap. The machine's lock is not held, so an
/// observer may operate the machine; the resulting transitions are reported after it returns.
public protocol TimerObserver: AnyObject, Sendable {
  /// Called once for each transition.
  func observe(_ transition: TimerTransition)
}

/// A transition, as an observer receives it.
public struct TimerTransition: Sendable, Hashable {
  /// The machine's number, unique in the process.
  public let machine: UInt64
  /// The machine's name.
  public let name: String
  /// The number of this transition within the machine: 1, 2, 3 … without a gap.
  public let sequence: UInt64
  /// The state before.
  public let from: TimerState
  /// The state after; equal to `from` if the event did not change it.
  public let to: TimerState
  /// The event.
  public let event: TimerEvent
  /// The cause; `refused` if the operation was not legal.
  public let cause: TimerCause
  /// The generation after the event.
  public let generation: UInt64
  /// The deadline that is armed after the event, if any.
  public let deadline: MonotonicInstant?
  /// The time of the event on the wall clock.
  public let wall: WallInstant
  /// The time of the event on the monotonic clock.
  public let monotonic: MonotonicInstant
}
