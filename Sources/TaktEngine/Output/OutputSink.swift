package import TaktCore
import TaktTime

/// Where the lines of runs go.
///
/// Safe from any thread; never blocks.
package protocol OutputSink: Sendable {
  /// Whether a line would be taken now.
  var hasRoom: Bool { get }

  /// Takes one line with its facts.
  func output(_ fields: [LogField])

  /// Takes one line with its facts, of which the log has the line alone. Unless implemented it is
  /// handed to `output`.
  func rawLine(_ level: LogLevel, _ fields: [LogField])

  /// Counts lines that were not handed over.
  func drop(lines: Int)

  /// Takes a record about output that is not a line of it: what is missing, or a file that cannot be
  /// written. Unless implemented it is handed to `output`.
  func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField])

  /// Takes what a run has printed, secrets masked, whether its lines are logged or not; `mark` says
  /// when, and where to. Answers whether somebody follows it. Unless implemented it goes nowhere.
  func printed(_ bytes: UnsafeRawBufferPointer, by run: RunID, _ mark: OutputMark) -> Bool
}

extension OutputSink {
  package func rawLine(_ level: LogLevel, _ fields: [LogField]) { output(fields) }

  package func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
    output(fields)
  }

  package func printed(
    _ bytes: UnsafeRawBufferPointer, by run: RunID, _ mark: OutputMark
  ) -> Bool { false }
}

/// Hands what built-ins say to whoever observes takt: it is text, unlike what commands print.
struct ObserverSink: OutputSink {
  let observer: any Observer
  let time: any TimeSource

  /// The observer counts itself what it has no room for.
  var hasRoom: Bool { true }

  func output(_ fields: [LogField]) { record(.info, .output, fields) }

  func rawLine(_ level: LogLevel, _ fields: [LogField]) {
    observer.observe(
      LogRecord(at: time.wall, level, .output, fields.map(Self.text), fact: .rawLine))
  }

  func drop(lines: Int) {}

  func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
    observer.observe(LogRecord(at: time.wall, level, event, fields.map(Self.text)))
  }

  private static func text(_ field: LogField) -> LogField {
    guard case .bytes(let bytes) = field.value else { return field }
    return LogField(field.key, .text(String(decoding: bytes, as: UTF8.self)))
  }
}
