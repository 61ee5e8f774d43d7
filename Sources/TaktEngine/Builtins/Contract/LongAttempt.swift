import Synchronization
import TaktCore

/// One attempt of a long built-in, from its start to the one report of its end.
///
/// Safe from any thread.
final class LongAttempt: Sendable {
  private enum State {
    case open(WorkPool.Item?)
    /// Reported, or handed over to a command.
    case over
  }

  let request: AttemptRequest
  let builtin: any LongBuiltin
  let cancellation = Cancellation()
  private let pool: WorkPool
  private let state = Mutex(State.open(nil))
  private let output = Mutex<BuiltinOutput?>(nil)
  private let onEnd: @Sendable (AttemptReport) -> Void

  /// `onEnd` is called once, unless the attempt is handed over.
  init(
    _ request: AttemptRequest, _ builtin: any LongBuiltin, on pool: WorkPool,
    onEnd: @escaping @Sendable (AttemptReport) -> Void
  ) {
    self.request = request
    self.builtin = builtin
    self.pool = pool
    self.onEnd = onEnd
  }

  func start(_ work: @escaping @Sendable (LongAttempt) -> Void) {
    guard let item = pool.submit(for: request.spec.name.text, { [self] in work(self) }) else {
      end(.failed("no_thread"))
      return
    }
    state.withLock { state in
      if case .open = state { state = .open(item) }
    }
  }

  /// Adds the output to the report.
  func use(_ output: BuiltinOutput) { self.output.withLock { $0 = output } }

  /// Stops it: work that still waits for a thread ends now; running work is cancelled, and given up
  /// on KILL unless it passes the signal on.
  func stop(_ signal: StopSignal) {
    cancellation.cancel(by: signal)
    let item = state.withLock { state -> WorkPool.Item? in
      if case .open(let item) = state { item } else { nil }
    }
    guard let item else { return }
    if pool.withdraw(item) {
      end(.failed(Self.cancelled))
    } else if signal == .kill, builtin.kind != .container {
      if end(.failed(Self.cancelled)) { pool.abandon(item) }
    }
  }

  static let cancelled = "cancelled"

  /// Reports the end; false if that has been done.
  @discardableResult
  func end(_ result: AttemptResult, ranOutOfMemory: Bool = false) -> Bool {
    guard claim({}) else { return false }
    let facts = output.withLock(\.self)?.close(result, wasStopped: cancellation.isCancelled)
    var report = AttemptReport(result, output: facts ?? OutputFacts())
    report.ranOutOfMemory = ranOutOfMemory
    onEnd(report)
    return true
  }

  /// Leaves the report of the end to `body`; false if it has been reported or the attempt was
  /// cancelled.
  func handOver(_ body: () -> Void) -> Bool {
    claim(unlessCancelled: true, body)
  }

  private func claim(unlessCancelled: Bool = false, _ body: () -> Void) -> Bool {
    state.withLock { state in
      // A stop cancels before it takes the lock: one that is not seen here finds what `body` has
      // started.
      guard case .open = state, !(unlessCancelled && cancellation.isCancelled) else {
        return false
      }
      state = .over
      body()
      return true
    }
  }
}
