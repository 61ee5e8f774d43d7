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
  private(set) var extra: Extra

  /// What a hook is told; nil for a run of the job itself.
  package var facts: RunFacts? {
    get { if case .hook(let facts) = extra { facts.value } else { nil } }
    set { extra = newValue.map { .hook(Shared($0)) } ?? .nothing }
  }
  package var isHook: Bool { if case .hook = extra { true } else { false } }

  /// What has changed at the paths that the job watches; nil for nothing.
  package var changes: ChangedPaths? {
    switch extra {
    case .changes(let changes): changes.value
    case .given(let given): given.value.changes
    case .nothing, .hook: nil
    }
  }

  /// The names of the action's parameters that a trigger has set.
  package var given: Set<String> {
    get { if case .given(let given) = extra { given.value.names } else { [] } }
    set { extra = .given(Shared(Extra.Given(names: newValue, changes: changes))) }
  }

  /// What the command is told besides. In one place, since a hook is told of a run and of no paths,
  /// and each field makes all that the scheduler says larger: the gate's `slots`.
  enum Extra: Hashable, Sendable {
    case nothing
    case hook(Shared<RunFacts>)
    case changes(Shared<ChangedPaths>)
    case given(Shared<Given>)

    /// What a trigger has set, with the paths that have changed.
    struct Given: Hashable, Sendable {
      var names: Set<String>
      var changes: ChangedPaths?
    }

    @inline(__always) init(_ facts: Shared<RunFacts>?, _ changes: Shared<ChangedPaths>?) {
      self = facts.map { .hook($0) } ?? changes.map { .changes($0) } ?? .nothing
    }
  }
}

extension AttemptRequest {
  /// An attempt of a run: the only action of the job, unless told otherwise.
  package init(
    run: RunID, attempt: Int, spec: JobSpec, slot: WallInstant, action: Action? = nil,
    step: Int = 0, deadline: MonotonicInstant? = nil, facts: RunFacts? = nil
  ) {
    self.init(
      run: run, attempt: attempt, spec: spec, slot: slot, action: action ?? spec.action,
      step: step, deadline: deadline, fence: nil,
      extra: Extra(facts.map { Shared($0) }, nil))
  }
}
