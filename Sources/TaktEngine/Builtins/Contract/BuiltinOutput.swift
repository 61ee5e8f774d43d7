import Synchronization
import TaktCore
import TaktTime

/// What a built-in says in one attempt, and what a container prints for it: masked, counted, and then
/// treated as a command's output is.
///
/// Safe from any thread.
final class BuiltinOutput: Sendable {
  private struct State {
    /// Touched under the lock alone.
    let output: AttemptOutput
    var bytes = 0
    /// What has come of it; nil until it is closed.
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

  /// Takes one line; after the end of the attempt, none. Line ends in it, such as those of a file's
  /// name, do not make another one.
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

  /// Takes what a process has printed.
  func receive(_ bytes: UnsafeRawBufferPointer, from stream: StandardStream) {
    state.withLock { state in
      if state.facts == nil { state.output.receive(bytes, from: stream) }
    }
  }

  var isSilent: Bool { state.withLock { $0.bytes == 0 } }

  /// Takes no more; the first call is the one that counts. What takt itself says is no output of a
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
