package import TaktCore

/// `use: log` writes a line to takt's own log.
package struct LogBuiltin: QuickBuiltin {
  /// The built-in.
  package init() {}

  /// `log`
  package var name: String { "log" }

  /// One sentence for the reference.
  package var summary: String { "writes a line to takt's own log" }

  /// `message` and `level`.
  package var parameters: [ParameterSchema] {
    [
      ParameterSchema("message", .string, summary: "what the line says"),
      ParameterSchema(
        "level", .choice(LogLevel.allCases.map(\.rawValue)),
        default: .string(LogLevel.info.rawValue), summary: "how much it matters"),
    ]
  }

  /// A secret has no place in the log.
  package func problems(in parameters: Parameters) -> [ParameterProblem] {
    guard let message = parameters["message"], !Placeholders.secrets(in: message).isEmpty else {
      return []
    }
    return [ParameterProblem("message", "a secret has no place in the log")]
  }

  /// It touches nothing but the log.
  package func traits(with parameters: Parameters) -> ActionTraits { [] }

  /// It does not fail.
  package var reasons: [BuiltinReason] { [] }

  /// Hands the message over as a line of output.
  package func run(
    _ parameters: Parameters, output: (_ level: LogLevel, _ line: String) -> Void
  ) -> AttemptResult {
    let level = parameters["level"].flatMap { LogLevel(rawValue: $0.string) } ?? .info
    output(level, parameters["message"]?.string ?? "")
    return .done
  }
}
