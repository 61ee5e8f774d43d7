package import TaktCore

/// Where the lines of runs go.
///
/// Safe from any thread; never blocks.
package protocol OutputSink: Sendable {
  /// Whether a line would be taken now.
  var hasRoom: Bool { get }

  /// Takes one line with its facts.
  func output(_ fields: [LogField])

  /// Counts lines that were not handed over.
  func drop(lines: Int)

  /// Takes a record about output that is not a line of it: what is missing, or a file that cannot be
  /// written. Unless implemented it is handed to `output`.
  func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField])

  /// Takes what a run has printed, secrets masked, whether its lines are logged or not. Unless
  /// implemented it goes nowhere.
  func printed(_ bytes: UnsafeRawBufferPointer, by run: RunID)
}

extension OutputSink {
  /// Hands the facts to `output`, without the level.
  package func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
    output(fields)
  }

  /// Nothing.
  package func printed(_ bytes: UnsafeRawBufferPointer, by run: RunID) {}
}
