import Dispatch
import Synchronization
import TaktCore
import TaktTime

/// One call of a long built-in: its parameters, its output, its cancellation.
///
/// Safe from any thread.
struct BuiltinCall: Sendable {
  let request: AttemptRequest
  /// Checked, with placeholders and secrets filled in.
  let parameters: Parameters
  let cancellation: Cancellation
  let time: any TimeSource
  let output: BuiltinOutput

  /// Logs a line, with secrets masked.
  func log(_ line: String, _ level: LogLevel = .info) { output.line(line, level) }

  /// True if a parameter was given or has a default.
  func has(_ name: String) -> Bool { parameters[name] != nil }

  func text(_ name: String) -> String? { parameters[name]?.string }

  func integer(_ name: String, or substitute: Int) -> Int {
    parameters[name]?.integer ?? substitute
  }

  /// False if the parameter was left out.
  func flag(_ name: String) -> Bool { parameters[name]?.boolean ?? false }

  func duration(_ name: String, or substitute: Duration) -> Duration {
    parameters[name]?.duration ?? substitute
  }

  func texts(_ name: String) -> [String] { parameters[name]?.list.map(\.string) ?? [] }
}

/// Notifies work that its result is no longer wanted.
///
/// Safe from any thread.
final class Cancellation: Sendable {
  private struct State {
    var isCancelled = false
    var signals: [StopSignal] = []
    var listener: (@Sendable (StopSignal) -> Void)?
    var lastKey = 0
    var handlers: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Calls all handlers, on this thread; a second call reaches only the listener.
  func cancel(by signal: StopSignal = .kill) {
    let (handlers, listener) = state.withLock { state in
      state.isCancelled = true
      if !state.signals.contains(signal) { state.signals.append(signal) }
      defer { state.handlers = [:] }
      return (Array(state.handlers.values), state.listener)
    }
    for handler in handlers { handler() }
    listener?(signal)
  }

  /// Calls `listener` with each signal, and at once with earlier ones. It must not block.
  func listen(_ listener: @escaping @Sendable (StopSignal) -> Void) {
    let signals = state.withLock { state in
      state.listener = listener
      return state.signals
    }
    for signal in signals { listener(signal) }
  }

  /// Performs `body`, during which `cancel` calls `handler`; at once if already cancelled. The
  /// handler must not block.
  func whileWatched<Result>(
    by handler: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) rethrows -> Result {
    let key = state.withLock { state -> Int? in
      guard !state.isCancelled else { return nil }
      state.lastKey += 1
      state.handlers[state.lastKey] = handler
      return state.lastKey
    }
    if key == nil { handler() }
    defer { if let key { state.withLock { $0.handlers[key] = nil } } }
    return try body()
  }

  /// Blocks the thread for this long. False if cancelled before the end.
  func sleep(_ duration: Duration) -> Bool {
    let woken = DispatchSemaphore(value: 0)
    let nanoseconds = max(0, min(duration.nanosecondsSaturated, Int64.max / 4))
    whileWatched(by: { woken.signal() }) {
      _ = woken.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }
    return !isCancelled
  }
}
