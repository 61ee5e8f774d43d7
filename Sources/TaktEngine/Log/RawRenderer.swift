import TaktCore

/// Lines of runs as they are, without anything about them.
struct RawRenderer: LogRenderer {
  func shows(_ record: LogRecord, at level: LogLevel) -> Bool {
    record.event == .output && record[.line] != nil
  }

  func render(_ record: LogRecord, into bytes: inout [UInt8]) {
    switch record[.line] {
    case .bytes(let line): bytes += line
    case .text(let line): bytes += line.utf8
    default: return
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
