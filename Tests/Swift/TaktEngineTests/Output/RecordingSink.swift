import Synchronization
import TaktCore
import TaktEngine

/// A log that remembers what it was handed.
final class RecordingSink: OutputSink {
  let lines = Mutex<[String]>([])
  let records = Mutex<[[LogField]]>([])
  let dropped = Mutex(0)

  var hasRoom: Bool { true }

  /// Lines, and the sentences of other records in `<>`, in their order.
  var all: [String] { lines.withLock(\.self) }

  func output(_ fields: [LogField]) {
    for field in fields where field.key == .line {
      if case .bytes(let bytes) = field.value {
        lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
      }
    }
  }

  func drop(lines count: Int) { dropped.withLock { $0 += count } }

  func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
    records.withLock { $0.append(fields) }
    for field in fields where field.key == .message {
      if case .text(let text) = field.value { lines.withLock { $0.append("<\(level): \(text)>") } }
    }
  }
}
