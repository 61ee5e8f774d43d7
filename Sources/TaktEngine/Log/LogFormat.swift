package import TaktCore
package import TaktTime

/// How records become bytes.
package enum LogFormat: String, CaseIterable, Sendable {
  /// Aligned lines for people.
  case text
  /// One JSON object a line for programs.
  case json

  /// What writes this format.
  ///
  /// - Parameter zone: In which zone text shows times; JSON lines are in UTC.
  package func renderer(zone: Zone, isColoured: Bool) -> any LogRenderer {
    switch self {
    case .text: TextRenderer(zone: zone, isColoured: isColoured)
    case .json: JSONRenderer()
    }
  }

  /// The least level that is written unless another is asked for: people see what has happened, and
  /// programs find every transition.
  package var defaultLevel: LogLevel {
    switch self {
    case .text: .info
    case .json: .debug
    }
  }
}

/// Turns records into lines.
package protocol LogRenderer: Sendable {
  /// Whether a record of this level is written when `least` is the least level that is asked for.
  func shows(_ level: LogLevel, routine isRoutine: Bool, at least: LogLevel) -> Bool

  /// Appends the record's line, with its end.
  func render(_ record: LogRecord, into bytes: inout [UInt8])
}

extension LogRenderer {
  package func shows(_ record: LogRecord, at least: LogLevel) -> Bool {
    shows(record.level, routine: record.isRoutine, at: least)
  }
}

/// One JSON object a line.
struct JSONRenderer: LogRenderer {
  func shows(_ level: LogLevel, routine isRoutine: Bool, at least: LogLevel) -> Bool {
    level >= least
  }

  func render(_ record: LogRecord, into bytes: inout [UInt8]) {
    record.appendJSON(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }
}
