import Dispatch

/// Where the ledger is read, and done what else may take its time.
enum SlowQueue {
  static let queue = DispatchQueue(label: "takt.control.slow", qos: .utility)

  /// Does it there.
  static func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }
}
