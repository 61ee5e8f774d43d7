import Synchronization

/// Takes the output of a command in place of the standard streams, for a caller other than a
/// terminal.
final class ConsoleSink: Sendable {
  private struct Lines {
    var output: [String] = []
    var errors: [String] = []
  }

  /// The sink for this thread; nil for the standard streams.
  static var current: ConsoleSink? { local.get() }

  private static let local = TaskLocal<ConsoleSink?>(wrappedValue: nil)

  private let lines = Mutex(Lines())

  var output: [String] { lines.withLock { $0.output } }

  /// The lines of standard error, without the program's name.
  var errors: [String] { lines.withLock { $0.errors } }

  /// Runs a part of a command whose output comes here.
  func capture<Value>(_ body: () throws -> Value) rethrows -> Value {
    try Self.local.withValue(self) { try body() }
  }

  func add(output line: String) { lines.withLock { $0.output.append(line) } }

  func add(error line: String) {
    let name = "takt: "
    let words = line.hasPrefix(name) ? String(line.dropFirst(name.utf8.count)) : line
    lines.withLock { $0.errors.append(words) }
  }
}
