package import TaktTime

/// What an event of a run wants done, in this order, and nothing of it twice.
package struct RunRequests: Hashable, Sendable {
  /// Nothing.
  static let none = RunRequests()

  /// How the machine has moved, to the state that it is in now; nil when it has not.
  package var move: RunMove?
  /// What is to be started; nil for nothing.
  package var action: Start?
  /// What what the attempt has started is to be sent; nil for nothing.
  package var signal: Signal?
  package var timer = Timer.keep
  package var place = Place.keep

  /// Start this step of this attempt; it will be stopped at the deadline.
  package struct Start: Hashable, Sendable {
    package var attempt: Int
    package var step: Int
    package var deadline: MonotonicInstant?
  }

  package enum Signal: Hashable, Sendable {
    /// The job's stop signal.
    case stop
    case kill
  }

  package enum Timer: Hashable, Sendable {
    case keep
    /// Call `timerFired` at this instant, in place of any earlier wish.
    case arm(MonotonicInstant)
    case disarm
  }

  package enum Place: Hashable, Sendable {
    case keep
    /// The place among the running is free.
    case release
    /// Call `start` when a place is free.
    case await
  }
}

/// A transition of a run, to the state that its machine is in afterwards.
package struct RunMove: Hashable, Sendable {
  package var from: RunState.Kind
  package var cause: Cause

  /// The raw value is the cause in the log.
  package enum Cause: String, Hashable, Sendable {
    case start, retry, resume
    case actionEnded = "action_ended"
    case groupEnded = "group_ended"
    case graceOver = "grace_over"
    case delayOver = "delay_over"
    case nextStep = "next_step"
    case nextSlot = "next_slot"
    case hurry, timeout, deadline, shutdown, replaced, removed
    case byOperator = "operator"
    case ledger
    case leaseLost = "lease_lost"
    case descendantsLeft = "descendants_left"
  }
}
