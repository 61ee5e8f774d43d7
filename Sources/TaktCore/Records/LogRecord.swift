package import TaktTime

/// One line of the log: an event with named facts.
package struct LogRecord: Hashable, Sendable {
  package var at: WallInstant
  package var level: LogLevel
  package var event: LogEvent
  /// A record of the timers' and plans' daily round: JSON lines always carry it, text only at
  /// level debug.
  package var isRoutine: Bool
  package var content: LogContent
  /// The record's meaning to takt itself; nil for one that only people and programs read.
  package var fact: LogFact?

  /// Nil if the record has no fact of this key.
  package subscript(key: LogKey) -> LogValue? { content[key] }
}

extension LogRecord {
  package init(
    at: WallInstant, _ level: LogLevel, _ event: LogEvent, routine isRoutine: Bool = false,
    _ fields: [LogField], fact: LogFact? = nil
  ) {
    self.init(
      at: at, level, event, routine: isRoutine, content: .fields(fields), fact: fact)
  }

  package init(
    at: WallInstant, _ level: LogLevel, _ event: LogEvent, routine isRoutine: Bool = false,
    content: LogContent, fact: LogFact? = nil
  ) {
    self.init(
      at: at, level: level, event: event, isRoutine: isRoutine, content: content, fact: fact)
  }
}

/// A record's meaning to takt itself, besides its line.
package indirect enum LogFact: Hashable, Sendable {
  /// The progress of a run, in percent, and its message; nil for an unchanged one.
  case progress(RunID, percent: Int64?, message: String?)
  case serviceRestart(plugin: String)
  /// The time that the machine slept, until the record.
  case slept(Duration)
  /// A line of output that only the log has.
  case rawLine
}
