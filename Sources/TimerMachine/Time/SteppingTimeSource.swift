public import TaktTime

/// Clocks that tell when the one that people read is set.
///
/// Without it timers on the wall clock follow a step only when they are next armed.
public protocol SteppingTimeSource: TimeSource {
  /// Calls `handler` after each step until the subscription is released, possibly once more while
  /// it is. Called on any thread; it must be short.
  func onClockStep(_ handler: @escaping @Sendable () -> Void) -> ClockStepSubscription
}
