package import TaktCore
import TaktTime

/// The destination of runs' lines.
///
/// Safe from any thread; never blocks.
package protocol OutputSink: Sendable {
  /// True if a line would be accepted now.
  var hasRoom: Bool { get }

  func output(_ fields: [LogField])

  /// Takes one line with its facts, for a log that shows only the line. By default passed to
  /// `output`.
  func rawLine(_ level: LogLevel, _ fields: [LogField])

  /// Counts lines that were not passed on.
  func drop(lines: Int)

  /// Takes a record about output that is not a line of it: missing output, or a file that cannot be
  /// written. By default passed to `output`.
  func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField])

  /// Takes a run's output, secrets masked, logged or not; `mark` has its time and stream. Returns
  /// true if it has followers. By default ignored.
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

/// Passes messages of built-ins to takt's observer: they are text, unlike output of commands.
struct ObserverSink: OutputSink {
  let observer: any Observer
  let time: any TimeSource

  /// The observer itself counts lines that it has no room for.
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
