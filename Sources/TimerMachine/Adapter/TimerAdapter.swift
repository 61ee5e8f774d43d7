import Dispatch

/// What stands between one machine and the system: an alarm for one deadline at a time.
///
/// An adapter knows neither states nor intervals; the machine computes every deadline and arms
/// anew. The machine calls `arm` and `disarm` one at a time and with its lock held, so neither may
/// call `onDue` before it returns, and neither may block. A late `onDue` is harmless: the machine
/// drops a ticket that is no longer armed.
public protocol TimerAdapter: AnyObject, Sendable {
  /// Arms the alarm, in place of what was armed before.
  ///
  /// Once the deadline has come, the adapter calls its `onDue` with the ticket, once, on the queue
  /// it was made for, then is disarmed.
  func arm(_ arming: TimerArming)

  /// Disarms the alarm; nothing happens when none is armed.
  ///
  /// A machine that is released disarms its adapter; after that, and after its last `onDue`, an
  /// adapter must hold nothing of the system that outlives its own release.
  func disarm()

  /// Runs `work` once, soon, where `onDue` is called. The machine's lock is not held.
  func perform(_ work: @escaping @Sendable () -> Void)
}
