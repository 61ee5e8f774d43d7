package import TaktCore
package import TaktTime

/// A run as the API shows it.
struct RunEntry: Sendable {
  var stored: StoredRun
  var state: RunState.Kind
  var progress: RunProgress?

  init(stored: StoredRun, state: RunState.Kind, progress: RunProgress? = nil) {
    self.stored = stored
    self.state = state
    self.progress = progress
  }

  /// A run that has not ended, as the scheduler knows it, with what else is known of it.
  init(_ view: RunView, at now: Now, progress: RunProgress? = nil) {
    self.init(
      stored: StoredRun(
        run: view.run, job: view.job.text, slot: view.slot, kind: view.kind.rawValue,
        hook: view.hook?.rawValue, parent: view.parent,
        beganAt: view.age.map { now.wall - $0 },
        duration: view.age, attempts: view.attempts),
      state: view.state, progress: progress)
  }

  /// A run that the scheduler does not know: it is over, or its end was never written.
  init(_ stored: StoredRun, progress: RunProgress? = nil) {
    let state: RunState.Kind =
      stored.outcome != nil ? .ended : stored.beganAt == nil ? .queued : .running
    self.init(stored: stored, state: state, progress: progress)
  }
}

/// A job as the API shows it.
package struct JobEntry: Sendable {
  var view: JobView
  var sight: JobSight
  /// The state of its timer machine when it does not run.
  var resting: String?
  var active: [RunEntry]

  package init(_ view: JobView, in state: ControlState, at now: Now) {
    let name = view.spec.name
    self.view = view
    sight = state.jobs[name] ?? JobSight()
    resting = state.resting[name]
    active = view.active.map { RunEntry($0, at: now, progress: state.progress[$0.run]) }
  }

  /// The state of its timer machine.
  var timer: String { view.isArmed ? "running" : resting ?? "idle" }

  /// Whether its last runs have failed.
  var isFailing: Bool { view.failureStreak > 0 }
}
