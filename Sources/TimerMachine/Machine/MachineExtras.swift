/// What few machines need, kept apart so that the others stay small.
///
/// `@unchecked`, and safe: the one lasting reference to it is `MachineCore.extras`, which is reached
/// only through `core.withLock`, and whoever is given it there hands out values, never the object.
final class MachineExtras: @unchecked Sendable {
  /// The handlers besides the main one, in the order of their calls.
  var handlers: [TimerHandler] = []
  /// Called once when the timer is armed, in the generation that it was given for.
  ///
  /// One whose generation is past stays until its turn on the queue has come, so that it is
  /// destroyed outside the machine's lock: what it holds may operate the machine as it goes.
  var registration: (@Sendable () -> Void)?
  var registrationGeneration: UInt64 = 0

  /// The open sequences of `ticks`, by number.
  var streams: [UInt64: AsyncStream<TimerFire>.Continuation] = [:]
  var lastStream: UInt64 = 0
  /// Keeps the subscription to clock steps, once a wall schedule was armed.
  var clockSteps: ClockStepSubscription?

  /// Takes the registration handler out if it is that of `generation`.
  func takeRegistration(of generation: UInt64) -> (@Sendable () -> Void)? {
    guard registrationGeneration == generation else { return nil }
    let taken = registration
    registration = nil
    return taken
  }
}
