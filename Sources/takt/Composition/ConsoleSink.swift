import Synchronization

/// Takes what a command says, in the place of the standard streams: for a caller that is no person at
/// a terminal.
final class ConsoleSink: Sendable {
  private struct Lines {
    var output: [String] = []
    var errors: [String] = []
  }

  /// Where what this thread says goes; nil for the standard streams.
  static var current: ConsoleSink? { local.get() }

  private static let local = TaskLocal<ConsoleSink?>(wrappedValue: nil)

  private let lines = Mutex(Lines())

  /// What was said on standard output.
  var output: [String] { lines.withLock { $0.output } }

  /// What was said on standard error, without the program's name.
  var errors: [String] { lines.withLock { $0.errors } }

  /// Runs a part of a command whose words come here.
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
