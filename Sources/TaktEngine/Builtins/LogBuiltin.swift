import TaktCore

/// `use: log` writes a line to takt's own log.
struct LogBuiltin: QuickBuiltin {
  var name: String { "log" }

  var summary: String { "writes a line to takt's log" }

  var parameters: [ParameterSchema] {
    [
      ParameterSchema("message", .string, reaches: .nothing, summary: "the text of the line"),
      ParameterSchema(
        "level", .choice(LogLevel.allCases.map(\.rawValue)), reaches: .nothing,
        default: .string(LogLevel.info.rawValue), summary: "the level of the line"),
    ]
  }

  /// Rejects a secret, which must not be in the log.
  func problems(in parameters: Parameters) -> [ParameterProblem] {
    guard let message = parameters["message"], !Placeholders.secrets(in: message).isEmpty else {
      return []
    }
    return [ParameterProblem("message", "a secret must not be written to the log")]
  }

  func traits(with parameters: Parameters) -> ActionTraits { [] }

  var reasons: [BuiltinReason] { [] }

  func run(
    _ parameters: Parameters, output: (_ level: LogLevel, _ line: String) -> Void
  ) -> AttemptResult {
    let level = parameters["level"].flatMap { LogLevel(rawValue: $0.string) } ?? .info
    output(level, parameters["message"]?.string ?? "")
    return .done
  }
}
