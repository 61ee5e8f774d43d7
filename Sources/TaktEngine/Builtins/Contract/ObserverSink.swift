import TaktCore
import TaktTime

/// Hands what built-ins say to whoever observes takt: it is text, unlike what commands print.
struct ObserverSink: OutputSink {
  let observer: any Observer
  let time: any TimeSource

  /// The observer counts itself what it has no room for.
  var hasRoom: Bool { true }

  func output(_ fields: [LogField]) { record(.info, .output, fields) }

  func drop(lines: Int) {}

  func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
    observer.observe(LogRecord(at: time.wall, level, event, fields.map(Self.text)))
  }

  private static func text(_ field: LogField) -> LogField {
    guard case .bytes(let bytes) = field.value else { return field }
    return LogField(field.key, .text(String(decoding: bytes, as: UTF8.self)))
  }
}
