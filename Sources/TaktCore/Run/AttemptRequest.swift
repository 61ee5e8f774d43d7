package import TaktTime

package struct AttemptRequest: Hashable, Sendable {
  package var run: RunID
  /// From 1, within the run.
  package var attempt: Int
  /// The job at the time of the decision.
  package var spec: JobSpec
  /// The slot's nominal instant; for a run by hand the requested instant.
  package var slot: WallInstant
  /// A command or a named action, never steps.
  package var action: Action
  /// From 0, among the steps of the attempt.
  package var step: Int
  /// The time at which the attempt is stopped; nil without a timeout.
  package var deadline: MonotonicInstant?
  /// The token by which anything the command writes to can refuse older runs of the slot; nil
  /// without a claim.
  package var fence: ClaimToken?
  private(set) var extra: Extra

  /// The facts passed to a hook; nil for a run of the job itself.
  package var facts: RunFacts? {
    get { if case .hook(let facts) = extra { facts.value } else { nil } }
    set { extra = newValue.map { .hook(Shared($0)) } ?? .nothing }
  }
  package var isHook: Bool { if case .hook = extra { true } else { false } }

  /// The changes at the paths that the job watches; nil for none.
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

  /// Further input of the command. One field, since a hook gets facts of a run and no paths, and
  /// each field makes all requests larger: the gate's `slots`.
  enum Extra: Hashable, Sendable {
    case nothing
    case hook(Shared<RunFacts>)
    case changes(Shared<ChangedPaths>)
    case given(Shared<Given>)

    /// A trigger's parameters, with the paths that have changed.
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
