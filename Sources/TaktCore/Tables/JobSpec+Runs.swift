/// The specs of a job's runs that are not for a slot.
extension JobSpec {
  func given(_ parameters: RunParameters) -> JobSpec {
    var spec = self
    if !parameters.values.isEmpty {
      switch action {
      case .use(let name, let values):
        spec.action = .use(name, values.merging(parameters.values) { $1 })
      case .plugin(let manifest, let values):
        spec.action = .plugin(manifest, values.merging(parameters.values) { $1 })
      case .shell, .argv, .steps: break
      }
    }
    if !parameters.environment.isEmpty {
      spec.execution.environment.merge(parameters.environment) { $1 }
    }
    return spec
  }

  /// The spec of a condition's run: the same surroundings, another action, and as many tries as the
  /// wait has room for.
  ///
  /// - Parameter left: the time that the slot may wait.
  func checkSpec(_ condition: Condition, left: Duration) -> JobSpec {
    var spec = self
    spec.action = condition.action
    spec.hooks = [:]
    spec.policies.pings = []
    spec.policies.onlyIf = nil
    spec.expectedDuration = nil
    var execution = spec.execution
    execution.retry = RetryPolicy()
    if condition.wait != nil, left > .zero {
      // The end of the wait ends them.
      spec.expectedDuration = left
      execution.retry = RetryPolicy(
        attempts: .max, delay: condition.interval, factor: 1, delayMax: condition.interval,
        end: .nextSlot)
    }
    execution.success = SuccessRule()
    execution.stdin = nil
    execution.output.file = nil
    execution.terminal = nil
    execution.timeout = condition.timeout
    spec.execution = execution
    return spec
  }

  /// The spec of a hook's run: the same surroundings, another action, one attempt, a bound on its
  /// time, and no hooks of its own.
  func hookSpec(_ steps: [Step], timeout: Duration) -> JobSpec {
    var spec = self
    // A hook that fails does not keep the next from being called.
    spec.action =
      steps.count == 1 ? steps[0].action : .steps(steps.map { Step($0.action, continues: true) })
    var policies = spec.policies
    policies.hooks = [:]
    policies.pings = []
    policies.expectedDuration = nil
    spec.policies = policies
    var execution = spec.execution
    execution.retry = RetryPolicy()
    execution.success = SuccessRule()
    execution.stdin = nil
    execution.output.file = nil
    execution.terminal = nil
    execution.timeout = timeout
    spec.execution = execution
    return spec
  }
}

extension JobSpec {
  /// True if a hook of this kind has an action.
  func calls(_ kind: HookKind) -> Bool {
    guard hasHooks else { return false }
    return hooks[kind]?.isEmpty == false || !pings.isEmpty && HookKind.ofPings.contains(kind)
  }

  func actions(of kind: HookKind, _ isPing: Bool) -> [Step] {
    if !isPing { return hooks[kind] ?? [] }
    return HookKind.ofPings.contains(kind) ? pings : []
  }
}

extension HookKind {
  /// The events that `ping` of a job reports.
  package static let ofPings: [HookKind] = [.onStart, .onSuccess, .onFailure]
}
