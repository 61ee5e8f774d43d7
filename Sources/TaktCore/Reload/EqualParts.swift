/// Parts of specs that were found equal, of one load and of another: what many jobs share is compared
/// once.
struct EqualParts {
  private var executions: [ObjectIdentifier: ObjectIdentifier] = [:]
  private var policies: [ObjectIdentifier: ObjectIdentifier] = [:]

  /// Whether two specs are equal. Both must be kept for as long as this is asked.
  mutating func areEqual(_ left: JobSpec, _ right: JobSpec) -> Bool {
    if left.isCopy(of: right) { return true }
    return left.name == right.name && left.summary == right.summary
      && Self.areEqual(left.sharedPolicies, right.sharedPolicies, &policies)
      && Self.areEqual(left.sharedExecution, right.sharedExecution, &executions)
      && left.action == right.action && left.timing == right.timing
  }

  private static func areEqual<Part>(
    _ left: Shared<Part>, _ right: Shared<Part>,
    _ known: inout [ObjectIdentifier: ObjectIdentifier]
  ) -> Bool {
    if left.isCopy(of: right) || known[left.identity] == right.identity { return true }
    guard left == right else { return false }
    known[left.identity] = right.identity
    return true
  }
}
