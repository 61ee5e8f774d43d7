/// The named actions that a jobs file may use, with what they take: all that is needed to check a
/// file before anything runs.
///
/// Safe from any thread.
public protocol ActionCatalogue: Sendable {
  /// The names of all actions, in any order.
  var actionNames: [String] { get }

  /// What the named action takes; nil when there is none of the name.
  func parameters(of action: String) -> [ParameterSchema]?

  /// What is wrong with parameters that are each of their kind: two that exclude each other, a
  /// word that is no status. A text with placeholders is not judged before it is expanded.
  func problems(of action: String, in parameters: Parameters) -> [ParameterProblem]
}

extension ActionCatalogue {
  /// Nothing.
  public func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] { [] }
}
