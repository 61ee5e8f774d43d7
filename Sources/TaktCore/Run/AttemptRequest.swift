package import TaktTime

/// One action of an attempt that is to be started.
package struct AttemptRequest: Hashable, Sendable {
  package var run: RunID
  /// Its number within the run, from 1.
  package var attempt: Int
  /// The job as it was when the attempt was decided.
  package var spec: JobSpec
  /// The slot's nominal instant; of a run by hand the instant that was asked for.
  package var slot: WallInstant
  /// What is to be done: a command or a named action, never steps.
  package var action: Action
  /// The action's place among the steps of the attempt, from 0.
  package var step: Int
  /// When the attempt will be stopped; nil when it has no timeout.
  package var deadline: MonotonicInstant?
  /// What the command is to be told so that whatever it writes to can refuse older runs of the slot;
  /// nil without a claim.
  package var fence: ClaimToken?
  /// What has changed at the paths that the job watches; nil for nothing.
  package var changes: Shared<ChangedPaths>?
  private var hookFacts: Shared<RunFacts>?

  /// What a hook is told; nil for a run of the job itself.
  package var facts: RunFacts? {
    get { hookFacts?.value }
    set { hookFacts = newValue.map { Shared($0) } }
  }
  package var isHook: Bool { hookFacts != nil }
}

extension AttemptRequest {
  /// An attempt of a run: the only action of the job, unless told otherwise.
  package init(
    run: RunID, attempt: Int, spec: JobSpec, slot: WallInstant, action: Action? = nil,
    step: Int = 0, deadline: MonotonicInstant? = nil, facts: RunFacts? = nil
  ) {
    self.init(
      run: run, attempt: attempt, spec: spec, slot: slot, action: action ?? spec.action,
      step: step, deadline: deadline, fence: nil, changes: nil,
      hookFacts: facts.map { Shared($0) })
  }

  init(
    run: RunID, attempt: Int, spec: JobSpec, slot: WallInstant, action: Action, step: Int,
    deadline: MonotonicInstant?, fence: ClaimToken?, with facts: Shared<RunFacts>?
  ) {
    self.init(
      run: run, attempt: attempt, spec: spec, slot: slot, action: action, step: step,
      deadline: deadline, fence: fence, changes: nil, hookFacts: facts)
  }
}
