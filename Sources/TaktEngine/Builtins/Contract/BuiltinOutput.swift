import Synchronization
import TaktCore
import TaktTime

/// The messages of a built-in in one attempt, and the output of its container: masked, counted, and
/// then handled like a command's output.
///
/// Safe from any thread.
final class BuiltinOutput: Sendable {
  private struct State {
    /// Touched under the lock only.
    let output: AttemptOutput
    var bytes = 0
    /// Nil until it is closed.
    var facts: OutputFacts?
  }

  private let secrets: SecretAutomaton?
  private let state: Mutex<State>

  init(
    of source: OutputSource, secrets: [[UInt8]], to sink: any OutputSink, files: OutputFiles,
    time: any TimeSource
  ) {
    self.secrets = SecretAutomaton(withTrimmed: secrets)
    state = Mutex(
      State(
        output: AttemptOutput(of: source, secrets: secrets, to: sink, files: files, time: time)))
  }

  /// Takes one line; none after the end of the attempt. Line ends in it, such as those of a file's
  /// name, do not start another one.
  func line(_ line: String, _ level: LogLevel) {
    var bytes = Array(line.utf8)
    if let secrets { bytes = secrets.masked(bytes) }
    if bytes.contains(10) {
      bytes = Array(
        bytes.split(separator: 10, omittingEmptySubsequences: false).joined(
          separator: "\u{fffd}".utf8))
    }
    bytes.append(10)
    state.withLock { state in
      guard state.facts == nil else { return }
      state.bytes += bytes.count
      state.output.line(masked: bytes, level)
    }
  }

  func receive(_ bytes: UnsafeRawBufferPointer, from stream: StandardStream) {
    state.withLock { state in
      if state.facts == nil { state.output.receive(bytes, from: stream) }
    }
  }

  var isSilent: Bool { state.withLock { $0.bytes == 0 } }

  /// Ends the output; only the first call counts. takt's own messages do not count as output of a
  /// process.
  @discardableResult
  func close(_ result: AttemptResult, wasStopped: Bool = false) -> OutputFacts {
    state.withLock { state in
      if let facts = state.facts { return facts }
      state.output.end(.stdout)
      state.output.end(.stderr)
      if wasStopped { state.output.stopped() }
      var facts = state.output.complete(AttemptReport(result)).output
      if case .exited = result {} else { facts.stdoutBytes += state.bytes }
      state.output.close()
      state.facts = facts
      return facts
    }
  }
}
