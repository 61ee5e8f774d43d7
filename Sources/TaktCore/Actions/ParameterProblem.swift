/// What is wrong with the parameters of an action although each of them, by itself, is of its kind.
package struct ParameterProblem: Hashable, Sendable {
  /// The parameter at fault; nil when it is one that is missing.
  package var parameter: String?
  /// One sentence for people.
  package var message: String

  /// A problem with one parameter, or with all of them together.
  package init(_ parameter: String?, _ message: String) {
    self.parameter = parameter
    self.message = message
  }
}
