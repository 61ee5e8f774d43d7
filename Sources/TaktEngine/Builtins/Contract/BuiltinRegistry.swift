package import TaktCore

/// The built-ins, by name: the catalogue that a jobs file is checked against.
///
/// Safe from any thread.
package struct BuiltinRegistry: ActionCatalogue {
  private let builtins: [String: any Builtin]

  /// The given built-ins, whose names differ from one another.
  package init(_ builtins: [any Builtin]) {
    self.builtins = Dictionary(builtins.map { ($0.name, $0) }) { first, _ in first }
  }

  /// All built-ins of takt.
  package static let standard = BuiltinRegistry([
    LogBuiltin(), HTTPBuiltin(), MailBuiltin(), PruneBuiltin(), TouchBuiltin(), SignalBuiltin(),
  ])

  /// The names of all built-ins.
  package var actionNames: [String] { Array(builtins.keys) }

  /// What a built-in takes; nil when there is none of the name.
  package func parameters(of action: String) -> [ParameterSchema]? {
    builtins[action]?.parameters
  }

  /// What a built-in has to say against its parameters as a whole.
  package func problems(of action: String, in parameters: Parameters) -> [ParameterProblem] {
    builtins[action]?.problems(in: parameters) ?? []
  }

  /// What a built-in does to the machine; nothing where there is none of the name.
  package func traits(of action: String, with parameters: Parameters) -> ActionTraits {
    builtins[action]?.traits(with: parameters) ?? []
  }

  func builtin(named name: String) -> (any Builtin)? { builtins[name] }

  /// All of them, by name.
  var sorted: [any Builtin] { builtins.values.sorted { $0.name < $1.name } }
}
