package import TaktTime
package import TimerMachine

/// A transition of one of the scheduler's timer machines.
package struct TimerRecord: Sendable {
  package var key: TimerKey
  /// Counted within its machine.
  package var sequence: UInt64
  package var from: TimerState
  package var to: TimerState
  package var event: TimerEvent
  package var cause: TimerCause
  /// Nil if the timer is not armed after the transition.
  package var due: WallInstant?
  /// The reason why a job's timer was cancelled; nil for all other transitions.
  package var end: TimerEnd?

  package init(
    key: TimerKey, sequence: UInt64, from: TimerState, to: TimerState, event: TimerEvent,
    cause: TimerCause, due: WallInstant?, end: TimerEnd? = nil
  ) {
    self.key = key
    self.sequence = sequence
    self.from = from
    self.to = to
    self.event = event
    self.cause = cause
    self.due = due
    self.end = end
  }

  func put(into sink: inout some FieldSink) {
    sink.put(.machine, machine: .timer(key))
    sink.put(.seq, number: Int64(sequence))
    if let job = key.job { sink.put(.job, text: job.text) }
    sink.put(.from, text: from.rawValue)
    sink.put(.to, text: to.rawValue)
    sink.put(.cause, text: event.rawValue)
    if let due { sink.put(.due, instant: due) }
    if let end {
      sink.put(.reason, text: end.rawValue)
    } else if cause != .requested {
      sink.put(.reason, text: cause.rawValue)
    }
  }
}

/// The reason why a job's timer was cancelled; the raw value is the `reason` in the log.
package enum TimerEnd: String, Sendable {
  case removed
  /// No slot of the job is left.
  case exhausted
  case stopping
}
