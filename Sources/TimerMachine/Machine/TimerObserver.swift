public import TaktTime

/// Sees every transition of the machines it was given to, refused operations included.
///
/// The calls for one machine come in order and never two at a time, on whichever thread changed
/// the machine; calls for different machines may overlap. The machine's lock is not held, so an
/// observer may operate the machine; what it causes is reported after it returns.
public protocol TimerObserver: AnyObject, Sendable {
  /// Called once for each transition.
  func observe(_ transition: TimerTransition)
}

/// One step of a machine's life, as its observer receives it.
public struct TimerTransition: Sendable, Hashable {
  /// The machine's number, unique in the process.
  public let machine: UInt64
  /// The machine's name.
  public let name: String
  /// The number of this report in the machine's life: 1, 2, 3 … without a gap.
  public let sequence: UInt64
  /// The state before.
  public let from: TimerState
  /// The state after; the same as `from` when the event moved nothing.
  public let to: TimerState
  /// What happened.
  public let event: TimerEvent
  /// Why; `refused` when the operation was not legal.
  public let cause: TimerCause
  /// The generation after the event.
  public let generation: UInt64
  /// The deadline that is armed after the event, if one is.
  public let deadline: MonotonicInstant?
  /// When, on the clock that people read.
  public let wall: WallInstant
  /// When, on the clock that only goes forward.
  public let monotonic: MonotonicInstant
}
