import Synchronization
import TaktCore
import TaktEngine

/// A log that keeps its output and records.
final class RecordingSink: OutputSink {
  /// Lines of output.
  let lines = Mutex<[String]>([])
  let records = Mutex<[[LogField]]>([])
  let dropped = Mutex(0)
  let hasRoom: Bool
  private let told = Mutex<[String]>([])

  init(hasRoom: Bool = true) { self.hasRoom = hasRoom }

  /// Lines, and the sentences of other records in `<>`, in their order.
  var all: [String] { told.withLock(\.self) }

  func output(_ fields: [LogField]) {
    for field in fields where field.key == .line {
      if case .bytes(let bytes) = field.value {
        let line = String(decoding: bytes, as: UTF8.self)
        lines.withLock { $0.append(line) }
        told.withLock { $0.append(line) }
      }
    }
  }

  func drop(lines count: Int) { dropped.withLock { $0 += count } }

  func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
    records.withLock { $0.append(fields) }
    for field in fields where field.key == .message {
      if case .text(let text) = field.value { told.withLock { $0.append("<\(level): \(text)>") } }
    }
  }
}
