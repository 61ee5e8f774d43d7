package import TaktTime

/// Something that goes wrong in a simulation, or is done to takt.
package struct SimulatedFault: Sendable {
  /// What.
  package enum Kind: Sendable {
    /// Somebody sets the wall clock by so much.
    case step(Duration)
    /// The machine sleeps: its own clock stands still, and so do the runs.
    case sleep(Duration)
    /// takt stands still, as under SIGSTOP; clocks and runs go on.
    case stall(Duration)
    /// The runs of a job take so long from then on.
    case slow(JobName, Duration)
    /// takt and its runs are killed, and started again after a while.
    case crash(down: Duration)
    /// takt takes up another set of jobs.
    case reload(Snapshot)
  }

  /// What.
  package var kind: Kind
  /// When, on the wall as it would be without any fault.
  package var at: WallInstant

  /// A fault at an instant.
  package init(_ kind: Kind, at: WallInstant) {
    self.kind = kind
    self.at = at
  }
}
