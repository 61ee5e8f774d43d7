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

/// One parameter that a named action takes.
public struct ParameterSchema: Hashable, Sendable {
  /// What values a parameter has.
  public enum Kind: Hashable, Sendable {
    /// Any text.
    case string
    /// One of these words.
    case choice([String])
  }

  /// Its key under `with`.
  public var name: String
  /// What values it has.
  public var kind: Kind
  /// What stands in when it is left out; nil for a parameter that must be given.
  public var defaultValue: ParameterValue?
  /// One sentence for people.
  public var summary: String

  /// A parameter with a default, or one that must be given.
  public init(
    _ name: String, _ kind: Kind, default defaultValue: ParameterValue? = nil, summary: String
  ) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue
    self.summary = summary
  }
}
