import Dispatch
import NIOCore

/// Runs tasks on one event loop, so that the control costs one thread and never touches the shared
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

/// Where the ledger is read, and done what else may take its time.
enum SlowQueue {
  static let queue = DispatchQueue(label: "takt.control.slow", qos: .utility)

  static func perform<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body()) }
    }
  }
}
