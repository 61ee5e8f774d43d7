import Synchronization
package import TaktCore

/// Passes the lines of runs to the log, and their output to its followers.
///
/// Safe from any thread.
package final class OutputHub: OutputSink, LiveOutput {
  /// The bytes of a run's earlier output for a new follower.
  package static let keepBytes = 64 << 10

  private struct Live {
    var before = KeptOutputBuffer(keepBytes: OutputHub.keepBytes)
    var followers: [UInt64: @Sendable (LiveOutputEvent) -> Void] = [:]
  }

  private struct State {
    var runs: [RunID: Live] = [:]
    var lastNumber: UInt64 = 0
  }

  private let next: any OutputSink
  private let state = Mutex(State())

  package init(next: any OutputSink) { self.next = next }

  package var hasRoom: Bool { next.hasRoom }

  package func output(_ fields: [LogField]) { next.output(fields) }

  package func rawLine(_ level: LogLevel, _ fields: [LogField]) { next.rawLine(level, fields) }

  package func drop(lines: Int) { next.drop(lines: lines) }

  package func record(_ level: LogLevel, _ event: LogEvent, _ fields: [LogField]) {
    next.record(level, event, fields)
  }

  /// Takes output of a run; ignored after its end.
  package func printed(_ bytes: UnsafeRawBufferPointer, by run: RunID, _ mark: OutputMark) -> Bool {
    state.withLock { state in
      guard state.runs[run] != nil else { return false }
      state.runs[run]?.before.append(bytes, mark)
      guard let followers = state.runs[run]?.followers, !followers.isEmpty else { return false }
      let copy = Array(bytes)
      for deliver in followers.values { deliver(.bytes(copy, mark)) }
      return true
    }
  }

  package func began(_ run: RunID) {
    state.withLock { state in
      if state.runs[run] == nil { state.runs[run] = Live() }
    }
  }

  package func ended(_ run: RunID) {
    let live = state.withLock { $0.runs.removeValue(forKey: run) }
    for deliver in live?.followers.values ?? [:].values { deliver(.end) }
  }

  /// Follows a run; nil if it is not in progress.
  package func follow(
    _ run: RunID, deliver: @escaping @Sendable (LiveOutputEvent) -> Void
  ) -> LiveOutputUse? {
    state.withLock { state in
      guard let live = state.runs[run] else { return nil }
      state.lastNumber += 1
      state.runs[run]?.followers[state.lastNumber] = deliver
      deliver(.before(live.before.kept))
      return LiveOutputUse(run: run, number: state.lastNumber)
    }
  }

  package func unfollow(_ use: LiveOutputUse) {
    state.withLock { _ = $0.runs[use.run]?.followers.removeValue(forKey: use.number) }
  }
}
