import Synchronization
import TaktCore
import TaktTime

/// What a built-in says in one attempt: masked, counted, and then treated as a command's output is.
///
/// Safe from any thread.
final class BuiltinOutput: Sendable {
  private struct State {
    var targets: OutputTargets
    var lines = LineSplitter()
    var bytes = 0
    var isClosed = false
  }

  private let secrets: SecretAutomaton?
  private let state: Mutex<State>

  init(
    of source: OutputSource, secrets: [[UInt8]], to sink: any OutputSink, files: OutputFiles,
    time: any TimeSource
  ) {
    self.secrets = SecretAutomaton(withTrimmed: secrets)
    state = Mutex(
      State(targets: OutputTargets(of: source, to: sink, files: files, time: time)))
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
      guard !state.isClosed else { return }
      state.bytes += bytes.count
      bytes.withUnsafeBytes { state.targets.receive($0, &state.lines, from: nil, level) }
    }
  }

  var isSilent: Bool { state.withLock { $0.bytes == 0 } }

  /// Takes no more lines; the first call is the one that counts.
  @discardableResult
  func close(hasFailed: Bool) -> OutputFacts {
    state.withLock { state in
      if !state.isClosed { state.targets.close(hasFailed: hasFailed) }
      state.isClosed = true
      return OutputFacts(stdoutBytes: state.bytes, kept: state.targets.kept)
    }
  }
}
