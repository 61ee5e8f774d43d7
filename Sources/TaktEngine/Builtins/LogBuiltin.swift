import TaktCore

/// `use: log` writes a line to takt's own log.
public struct LogBuiltin: Builtin {
  private let observer: any Observer
  private let time: any TimeSource

  /// A built-in that writes to `observer`.
  public init(observer: any Observer, time: any TimeSource) {
    self.observer = observer
    self.time = time
  }

  /// `log`
  public var name: String { "log" }

  /// `message` and `level`.
  public var parameters: [ParameterSchema] {
    [
      ParameterSchema("message", .string, summary: "what the line says"),
      ParameterSchema(
        "level", .choice(LogLevel.allCases.map(\.rawValue)),
        default: .string(LogLevel.info.rawValue), summary: "how much it matters"),
    ]
  }

  /// Writes the line as output of the run.
  public func run(_ parameters: Parameters, of request: AttemptRequest) -> AttemptResult {
    let level = parameters["level"].flatMap { LogLevel(rawValue: $0.string) } ?? .info
    observer.observe(
      LogRecord(
        at: time.wall, level, .output,
        [
          LogField(.job, .text(request.spec.name.text)),
          LogField(.run, .number(Int64(request.run.number))),
          LogField(.attempt, .number(Int64(request.attempt))),
          LogField(.line, .text(parameters["message"]?.string ?? "")),
        ]))
    return .done
  }
}
