package import TaktCore
package import TaktTime

/// One call of a long built-in: what it is to do, and its ways to the outside.
///
/// Safe from any thread.
package struct BuiltinCall: Sendable {
  /// The attempt that it belongs to.
  package let request: AttemptRequest
  /// Its parameters, checked, with placeholders and secrets in their places.
  package let parameters: Parameters
  /// Says when nobody wants the result any more.
  package let cancellation: Cancellation
  /// Both clocks.
  package let time: any TimeSource
  let output: BuiltinOutput

  /// Hands a line to the log, with secrets masked.
  package func log(_ line: String, _ level: LogLevel = .info) { output.line(line, level) }

  /// Whether a parameter was given or has a default.
  package func has(_ name: String) -> Bool { parameters[name] != nil }

  /// The text of a parameter; nil when it was left out.
  package func text(_ name: String) -> String? { parameters[name]?.string }

  /// The whole number of a parameter, or what stands in for it.
  package func integer(_ name: String, or standIn: Int) -> Int {
    parameters[name]?.integer ?? standIn
  }

  /// The truth of a parameter; false when it was left out.
  package func flag(_ name: String) -> Bool { parameters[name]?.boolean ?? false }

  /// The length of a parameter, or what stands in for it.
  package func duration(_ name: String, or standIn: Duration) -> Duration {
    parameters[name]?.duration ?? standIn
  }

  /// The texts of a list.
  package func texts(_ name: String) -> [String] { parameters[name]?.list.map(\.string) ?? [] }
}
