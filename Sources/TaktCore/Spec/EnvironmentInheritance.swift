/// What of takt's own environment a child begins with.
public enum EnvironmentInheritance: Hashable, Sendable {
  /// All of it.
  case all
  /// Nothing but a standard `PATH`.
  case none
  /// These variables, where takt has them, and a standard `PATH` where that is not one of them.
  case only([String])
}
