/// The named actions that a jobs file may use, with what they take: all that is needed to check a
/// file before anything runs.
///
/// Safe from any thread.
package protocol ActionCatalogue: Sendable {
  /// The names of all actions, in any order.
  var actionNames: [String] { get }

  /// What the named action takes; nil when there is none of the name.
  func parameters(of action: String) -> [ParameterSchema]?

  /// What is wrong with the parameters that are given, without defaults, although each is of its
  /// kind: two that exclude each other, one that has no effect, a word that is no status. A text
  /// with placeholders is not judged before it is expanded.
  func problems(of action: String, in parameters: Parameters) -> [ParameterProblem]

  /// What the action does to the machine when it is called with these parameters.
  func traits(of action: String, with parameters: Parameters) -> ActionTraits
}

extension ActionCatalogue {
  /// Nothing.
  package func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] { [] }

  /// Nothing.
  package func traits(of action: String, with parameters: Parameters) -> ActionTraits { [] }
}
