import TaktCore

/// An action that is part of takt. The registry of built-ins is the catalogue that a jobs file is
/// checked against.
///
/// Safe from any thread; `run` is called on a queue of the job's class.
public protocol Builtin: Sendable {
  /// The name that follows `use:`.
  var name: String { get }

  /// What it takes under `with:`.
  var parameters: [ParameterSchema] { get }

  /// Does the work; the parameters have been checked. Lines that it hands to `output` go to the
  /// log as a command's do.
  func run(
    _ parameters: Parameters, output: (_ level: LogLevel, _ line: String) -> Void
  ) -> AttemptResult
}

/// The built-ins, by name.
public struct BuiltinRegistry: ActionCatalogue {
  private let builtins: [String: any Builtin]

  /// The given built-ins, whose names differ from one another.
  public init(_ builtins: [any Builtin]) {
    self.builtins = Dictionary(builtins.map { ($0.name, $0) }) { first, _ in first }
  }

  /// All built-ins of takt.
  public static let standard = BuiltinRegistry([LogBuiltin()])

  /// The names of all built-ins.
  public var actionNames: [String] { Array(builtins.keys) }

  /// What a built-in takes; nil when there is none of the name.
  public func parameters(of action: String) -> [ParameterSchema]? {
    builtins[action]?.parameters
  }

  func builtin(named name: String) -> (any Builtin)? { builtins[name] }
}
