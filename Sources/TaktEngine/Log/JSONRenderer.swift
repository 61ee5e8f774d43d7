import TaktCore

/// One JSON object a line.
struct JSONRenderer: LogRenderer {
  /// Whether routine records are there although their own level is lower, so that a program finds
  /// every transition.
  var showsRoutine = true

  func shows(_ record: LogRecord, at level: LogLevel) -> Bool {
    record.level >= level || (showsRoutine && record.isRoutine && level <= .info)
  }

  func render(_ record: LogRecord, into bytes: inout [UInt8]) {
    record.appendJSON(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }
}
