/// What specs of one load have in common: of parts that are equal one is kept, for all who have it.
package struct SpecPool {
  private var timings = Pool<Timing>()
  private var actions = Pool<Action>()
  private var executions = Pool<Shared<Execution>>()
  private var policies = Pool<Shared<JobPolicies>>()

  package init() {}

  package mutating func common(_ timing: Timing) -> Timing { timings.common(timing) }

  package mutating func common(_ action: Action) -> Action { actions.common(action) }

  package mutating func common(_ execution: Shared<Execution>) -> Shared<Execution> {
    executions.common(execution)
  }

  package mutating func common(_ policies: Shared<JobPolicies>) -> Shared<JobPolicies> {
    self.policies.common(policies)
  }
}

/// Of values that are equal, the first.
private struct Pool<Value: Hashable> {
  /// A value with its hash: that of a large value takes long, and a set that grows asks for all again.
  private struct Member: Hashable {
    let value: Value
    let hash: Int

    init(_ value: Value) {
      self.value = value
      hash = value.hashValue
    }

    static func == (left: Member, right: Member) -> Bool {
      left.hash == right.hash && left.value == right.value
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  }

  private var members: Set<Member> = []

  mutating func common(_ value: Value) -> Value {
    members.insert(Member(value)).memberAfterInsert.value
  }
}
