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
  /// - Parameters:
  ///   - zone: In which zone text shows times; JSON lines are in UTC.
  ///   - isDetailed: Whether text has each transition of a run.
  package func renderer(zone: Zone, isColoured: Bool, isDetailed: Bool) -> any LogRenderer {
    switch self {
    case .text: TextRenderer(zone: zone, isColoured: isColoured, isDetailed: isDetailed)
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

  /// Whether a record is written; what one of the others says may stand in its line.
  func shows(_ record: LogRecord, at least: LogLevel) -> Bool

  /// Appends the record's line, with its end.
  func render(_ record: LogRecord, into bytes: inout [UInt8])

  /// Appends a line where the day of an instant is not the last one that had a line.
  func renderDay(of instant: WallInstant, after last: inout LogDay?, into bytes: inout [UInt8])
}

/// A day of the calendar in the log's time zone.
package struct LogDay: Equatable, Sendable {
  var year: Int
  var month: Int
  var day: Int
}

extension LogRenderer {
  package func shows(_ record: LogRecord, at least: LogLevel) -> Bool {
    shows(record.level, routine: record.isRoutine, at: least)
  }

  package func renderDay(
    of instant: WallInstant, after last: inout LogDay?, into bytes: inout [UInt8]
  ) {}
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
