import Synchronization
import TaktCore

/// What a built-in says in one attempt: masked, logged as the job wants it, counted, and kept
/// within the job's bound.
///
/// Safe from any thread.
final class BuiltinOutput: Sendable {
  private struct State {
    var facts = OutputFacts()
    var held: [LogRecord] = []
    var isClosed = false
  }

  private let request: AttemptRequest
  private let secrets: SecretAutomaton?
  private let observer: any Observer
  private let time: any TimeSource
  private let state = Mutex(State())

  init(
    of request: AttemptRequest, secrets: [String], observer: any Observer, time: any TimeSource
  ) {
    self.request = request
    self.secrets = SecretAutomaton(secrets.map { Array($0.utf8) })
    self.observer = observer
    self.time = time
  }

  /// Takes one line; after the end of the attempt, none.
  func line(_ line: String, _ level: LogLevel) {
    let line = secrets?.masked(line) ?? line
    let policy = request.spec.execution.output
    let record = Self.record(line, level, of: request, at: time.wall)
    state.withLock { state in
      guard !state.isClosed else { return }
      state.facts.add(line, keepBytes: policy.keepBytes)
      switch policy.logging {
      case .always: observer.observe(record)
      case .never: break
      case .onFailure: if state.held.count < 1000 { state.held.append(record) }
      }
    }
  }

  /// Takes no more lines, and logs those that were held back where the attempt has failed.
  func close(_ result: AttemptResult) -> OutputFacts {
    let (facts, held) = state.withLock { state in
      state.isClosed = true
      defer { state.held = [] }
      return (state.facts, state.held)
    }
    if result != .done, !held.isEmpty { observer.observe(held) }
    return facts
  }

  static func record(
    _ line: String, _ level: LogLevel, of request: AttemptRequest, at instant: WallInstant
  ) -> LogRecord {
    LogRecord(
      at: instant, level, .output,
      [
        LogField(.job, .text(request.spec.name.text)),
        LogField(.run, .number(Int64(request.run.number))),
        LogField(.attempt, .number(Int64(request.attempt))), LogField(.line, .text(line)),
      ])
  }
}

extension OutputFacts {
  /// Counts a line as one of standard output, and keeps it while there is room.
  mutating func add(_ line: String, keepBytes: Int) {
    let count = line.utf8.count + 1
    stdoutBytes += count
    if kept.droppedBytes == 0, kept.head.count + count <= keepBytes {
      kept.head.append(contentsOf: line.utf8)
      kept.head.append(10)
    } else {
      kept.droppedBytes += count
    }
  }
}
