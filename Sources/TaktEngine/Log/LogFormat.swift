import TaktCore

/// How records become bytes.
public enum LogFormat: String, CaseIterable, Sendable {
  /// Aligned lines for people.
  case text
  /// One JSON object a line for programs.
  case json
}

/// Turns records into lines.
protocol LogRenderer: Sendable {
  /// Whether this format shows the record at this level.
  func shows(_ record: LogRecord, at level: LogLevel) -> Bool

  /// Appends the record's line, with its end.
  func render(_ record: LogRecord, into bytes: inout [UInt8])
}
