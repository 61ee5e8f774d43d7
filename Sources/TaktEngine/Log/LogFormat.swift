package import TaktCore
package import TaktTime

package enum LogFormat: String, CaseIterable, Sendable {
  /// Aligned lines for people.
  case text
  /// One JSON object per line, for programs.
  case json

  /// - Parameters:
  ///   - zone: The zone for times in text; JSON lines are in UTC.
  ///   - isDetailed: True for text with each transition of a run.
  package func renderer(zone: Zone, isColoured: Bool, isDetailed: Bool) -> any LogRenderer {
    switch self {
    case .text: TextRenderer(zone: zone, isColoured: isColoured, isDetailed: isDetailed)
    case .json: JSONRenderer()
    }
  }

  /// The default minimum level: people see the main events, and programs find every transition.
  package var defaultLevel: LogLevel {
    switch self {
    case .text: .info
    case .json: .debug
    }
  }
}

package protocol LogRenderer: Sendable {
  /// True if a record of this level is written with `least` as the minimum level.
  func shows(_ level: LogLevel, routine isRoutine: Bool, at least: LogLevel) -> Bool

  /// True if a record is written; otherwise the line of another one may contain its facts.
  func shows(_ record: LogRecord, at least: LogLevel) -> Bool

  func render(_ record: LogRecord, into bytes: inout [UInt8])

  /// Appends a line if the day of an instant is not that of the last such line.
  func renderDay(of instant: WallInstant, after last: inout LogDay?, into bytes: inout [UInt8])
}

/// A calendar day in the log's time zone.
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

struct JSONRenderer: LogRenderer {
  func shows(_ level: LogLevel, routine isRoutine: Bool, at least: LogLevel) -> Bool {
    level >= least
  }

  func render(_ record: LogRecord, into bytes: inout [UInt8]) {
    record.appendJSON(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }
}
