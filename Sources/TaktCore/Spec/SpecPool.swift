/// Shares equal parts of specs. Within a load, one of the parts that are equal is kept, for all
/// specs that have it; of two loads, shared parts are compared once. It compares values, where
/// TaktConfig's `EqualJobs` compares words: jobs with different entries may have parts that are
/// equal.
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

  /// Compares two specs. Both must be kept for as long as the pool is used.
  mutating func areEqual(_ left: JobSpec, _ right: JobSpec) -> Bool {
    if left.isCopy(of: right) { return true }
    return left.name == right.name && left.summary == right.summary
      && policies.areEqual(left.sharedPolicies, right.sharedPolicies)
      && executions.areEqual(left.sharedExecution, right.sharedExecution)
      && left.action == right.action && left.timing == right.timing
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
  /// Parts that were found equal to another's.
  private var equals: [ObjectIdentifier: ObjectIdentifier] = [:]

  mutating func common(_ value: Value) -> Value {
    members.insert(Member(value)).memberAfterInsert.value
  }

  mutating func areEqual<Part>(_ left: Value, _ right: Value) -> Bool where Value == Shared<Part> {
    if left.isCopy(of: right) || equals[left.identity] == right.identity { return true }
    guard left == right else { return false }
    equals[left.identity] = right.identity
    return true
  }
}
