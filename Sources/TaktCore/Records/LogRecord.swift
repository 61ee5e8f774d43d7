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
  /// What it says to takt itself; nil for what only people and programs read.
  package var fact: LogFact?

  /// The value of a fact; nil when the record does not have it.
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

/// What a record says to takt itself, besides its line.
package indirect enum LogFact: Hashable, Sendable {
  /// How far a run is, in percent, and what it says of that; nil for what has not changed.
  case progress(RunID, percent: Int64?, message: String?)
  case serviceRestart(plugin: String)
  /// How long the machine slept, until the record.
  case slept(Duration)
  /// A line of output that the log has alone.
  case rawLine
}
