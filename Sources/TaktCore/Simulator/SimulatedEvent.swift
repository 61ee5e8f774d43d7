package import TaktTime

/// A report about a simulation, in the order of events.
package enum SimulatedEvent: Sendable {
  /// Slots have been decided. For a slot that ran: its delay after it was due, and the time in
  /// which it was allowed to start, counted from the same instant.
  case verdict(VerdictRecord, lateness: Duration, window: Duration)
  /// A run has started. Hooks are not reported.
  case began(JobName, RunID, at: WallInstant)
  /// A run that had started has ended.
  case ended(JobName, RunID, RunEnd, at: WallInstant)
  /// An attempt after the first of its run has started.
  case retried(JobName, RunID, at: WallInstant)
  /// A hook of a job has been called. Pings are not reported.
  case called(JobName, HookKind, at: WallInstant)
  /// takt has woken and handled this many timers.
  case wake(at: WallInstant, served: Int)
  case fault(SimulatedFault, at: WallInstant)
}

/// Something that goes wrong in a simulation, or is done to takt.
package struct SimulatedFault: Sendable {
  package enum Kind: Sendable {
    /// The wall clock is set, by this much.
    case step(Duration)
    /// The machine sleeps: its monotonic clock stops, and so do the runs.
    case sleep(Duration)
    /// takt is stopped, as by SIGSTOP; clocks and runs continue.
    case stall(Duration)
    /// The runs of a job take this long from then on.
    case slow(JobName, Duration)
    /// takt and its runs are killed, and started again after a while.
    case crash(down: Duration)
    /// takt reloads with other jobs.
    case reload(Snapshot)
  }

  package var kind: Kind
  /// The instant on the wall clock without any faults.
  package var at: WallInstant

  package init(_ kind: Kind, at: WallInstant) {
    self.kind = kind
    self.at = at
  }
}

extension SimulatedFault.Kind {
  package var words: String {
    switch self {
    case .step(let step) where step < .zero:
      "the clock is set back by \(DurationText.format(.zero - step))"
    case .step(let step): "the clock is set forward by \(DurationText.format(step))"
    case .sleep(let duration): "the machine sleeps for \(DurationText.format(duration))"
    case .stall(let duration): "takt stalls for \(DurationText.format(duration))"
    case .slow(let job, let duration): "runs of \(job) take \(DurationText.format(duration))"
    case .crash(let down): "takt is killed, and restarts after \(DurationText.format(down))"
    case .reload(let snapshot): "takt reloads another jobs file; jobs: \(snapshot.jobs.count)"
    }
  }
}
