package import TaktTime

/// The requests that follow an event of a run, to be performed in this order, each at most once.
package struct RunRequests: Hashable, Sendable {
  static let none = RunRequests()

  /// The transition to the machine's present state; nil if there was none.
  package var move: RunMove?
  /// Nil to start nothing.
  package var action: Start?
  /// The signal for the attempt's processes; nil for none.
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
    /// Call `timerFired` at this instant, in place of any earlier one.
    case arm(MonotonicInstant)
    case disarm
  }

  package enum Place: Hashable, Sendable {
    case keep
    /// The place among the running is free.
    case release
    /// Call `start` once a place is free.
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
