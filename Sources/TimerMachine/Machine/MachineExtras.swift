/// What few machines need, kept apart so that the others stay small.
///
/// `@unchecked`, since it is part of the machine's core: read and written only under the machine's
/// lock, and it never leaves it.
final class MachineExtras: @unchecked Sendable {
  /// The handlers besides the main one, in the order of their calls.
  var handlers: [TimerHandler] = []
  /// Called once when the timer is armed.
  var registration: (@Sendable () -> Void)?
  /// The open sequences of `ticks`, by number.
  var streams: [UInt64: AsyncStream<TimerFire>.Continuation] = [:]
  var lastStream: UInt64 = 0
  /// Keeps the subscription to clock steps, once a wall schedule was armed.
  var clockSteps: ClockStepSubscription?
}
