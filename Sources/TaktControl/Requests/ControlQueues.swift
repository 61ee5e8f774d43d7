import Dispatch
import HTTPTypes
import NIOCore
import Synchronization

/// Runs tasks on one event loop, so that the control costs one thread and never uses the shared
/// pool, whose first use would start a permanent timer.
final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    loop.execute { job.runSynchronously(on: executor) }
  }
}

/// For reads of the ledger, which may wait for a disk.
enum SlowQueue {
  static let queue = DispatchQueue(label: "takt.control.slow", qos: .utility)

  static func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await queue.perform(body)
  }
}

/// For walks through much of the ledger, which take seconds in a large one: one at a time, and no
/// other question waits for them.
final class WalkQueue: Sendable {
  static let shared = WalkQueue()

  private let queue = DispatchQueue(label: "takt.control.walk", qos: .utility)
  /// The most walks that wait or are in progress.
  private let walksMax: Int
  private let walks = Atomic<Int>(0)

  init(walksMax: Int = 16) { self.walksMax = walksMax }

  func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
    defer { walks.subtract(1, ordering: .relaxed) }
    guard walks.add(1, ordering: .relaxed).newValue <= walksMax else {
      var problem = Problem(
        .unavailable, "too many requests wait for the ledger", detail: "Retry in a second.")
      problem.headers[.retryAfter] = "1"
      throw problem
    }
    return await queue.perform(body)
  }
}

/// For reads of the token's file: its file system may not respond.
enum TokenQueue {
  private static let queue = DispatchQueue(label: "takt.control.token", qos: .utility)

  static func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await queue.perform(body)
  }
}

/// For answers that take processor time, and wait for nothing.
enum BusyQueue {
  private static let queue = DispatchQueue(label: "takt.control.busy", qos: .utility)

  static func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await queue.perform(body)
  }
}

extension DispatchQueue {
  fileprivate func perform<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      async { continuation.resume(returning: body()) }
    }
  }
}
