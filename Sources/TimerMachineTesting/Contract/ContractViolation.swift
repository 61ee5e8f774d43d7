/// What a factory did that no factory may do.
public struct ContractViolation: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was expected and what happened.
  public let description: String

  /// A violation in words.
  public init(_ description: String) {
    self.description = description
  }

  /// Throws unless `condition` holds.
  static func unless(
    _ condition: Bool, _ description: @autoclosure () -> String
  ) throws(ContractViolation) {
    if !condition { throw ContractViolation(description()) }
  }
}
