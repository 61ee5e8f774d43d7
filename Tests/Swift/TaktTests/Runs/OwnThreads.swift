import Dispatch
import Testing

/// Runs each test of a suite on a thread of its own.
///
/// Swift's pool has one thread for each processor. A test that waits for a process blocks one of
/// them, so two of those would keep a machine with two processors idle.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
  }
}

extension Trait where Self == OwnThreads {
  static var ownThreads: Self { OwnThreads() }
}

/// A serial queue blocks no thread but its own.
private final class ThreadExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
