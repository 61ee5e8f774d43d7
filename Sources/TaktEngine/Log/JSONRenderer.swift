import TaktCore

/// One JSON object a line.
struct JSONRenderer: LogRenderer {
  /// Routine records are always there, so that a program finds every transition.
  func shows(_ record: LogRecord, at level: LogLevel) -> Bool {
    record.level >= level || (record.isRoutine && level <= .info)
  }

  func render(_ record: LogRecord, into bytes: inout [UInt8]) {
    record.appendJSON(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }
}
