/// The named actions that a jobs file may use, with what they take: all that is needed to check a
/// file before anything runs.
///
/// Safe from any thread.
public protocol ActionCatalogue: Sendable {
  /// The names of all actions, in any order.
  var actionNames: [String] { get }

  /// What the named action takes; nil when there is none of the name.
  func parameters(of action: String) -> [ParameterSchema]?
}
