package import TaktTime

/// What a simulation has to tell, in the order in which it happens.
package enum SimulatedEvent: Sendable {
  /// Slots have been decided. Of a slot that ran: how long after it was due, and up to when it could
  /// start, counted from there.
  case verdict(VerdictRecord, lateness: Duration, window: Duration)
  /// A run has started. Hooks are not told of.
  case began(JobName, RunID, at: WallInstant)
  /// A run that had started has ended.
  case ended(JobName, RunID, RunEnd, at: WallInstant)
  /// takt has woken and served so many timers.
  case wake(at: WallInstant, served: Int)
  /// A fault has come.
  case fault(SimulatedFault, at: WallInstant)
}
