/// Sees every transition of the machines it was given to, refused operations included.
///
/// The calls for one machine come in order and never two at a time, on whichever thread changed
/// the machine; calls for different machines may overlap. The machine's lock is not held, so an
/// observer may operate the machine; what it causes is reported after it returns.
public protocol TimerObserver: AnyObject, Sendable {
  /// Called once for each transition.
  func observe(_ transition: TimerTransition)
}
