import Dispatch
import Synchronization
import TaktCore
import TaktTime

/// One call of a long built-in: what it is to do, and its ways to the outside.
///
/// Safe from any thread.
struct BuiltinCall: Sendable {
  let request: AttemptRequest
  /// Its parameters, checked, with placeholders and secrets in their places.
  let parameters: Parameters
  let cancellation: Cancellation
  let time: any TimeSource
  let output: BuiltinOutput

  /// Hands a line to the log, with secrets masked.
  func log(_ line: String, _ level: LogLevel = .info) { output.line(line, level) }

  /// Whether a parameter was given or has a default.
  func has(_ name: String) -> Bool { parameters[name] != nil }

  /// The text of a parameter; nil when it was left out.
  func text(_ name: String) -> String? { parameters[name]?.string }

  func integer(_ name: String, or substitute: Int) -> Int {
    parameters[name]?.integer ?? substitute
  }

  /// The truth of a parameter; false when it was left out.
  func flag(_ name: String) -> Bool { parameters[name]?.boolean ?? false }

  func duration(_ name: String, or substitute: Duration) -> Duration {
    parameters[name]?.duration ?? substitute
  }

  func texts(_ name: String) -> [String] { parameters[name]?.list.map(\.string) ?? [] }
}

/// Tells work that nobody wants it any more.
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

  /// Calls all handlers, on this thread; a second call tells the listener alone.
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

  /// Has `listener` called with each signal, and at once with those that have come before. It must
  /// not block.
  func listen(_ listener: @escaping @Sendable (StopSignal) -> Void) {
    let signals = state.withLock { state in
      state.listener = listener
      return state.signals
    }
    for signal in signals { listener(signal) }
  }

  /// Does `body`, during which `cancel` calls `handler`; at once where it has been called before.
  /// The handler must not block.
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

  /// Blocks the thread for so long. False when it was cancelled before.
  func sleep(_ duration: Duration) -> Bool {
    let woken = DispatchSemaphore(value: 0)
    let nanoseconds = max(0, min(duration.nanosecondsSaturated, Int64.max / 4))
    whileWatched(by: { woken.signal() }) {
      _ = woken.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
    }
    return !isCancelled
  }
}
