import Dispatch
import Synchronization

/// A transfer that was asked for, until its reply.
///
/// Safe from any thread; `wait` is for one.
package final class RunningTransfer<Reply: Sendable>: Sendable {
  /// The loop ends a transfer at its deadline. Where the loop itself does not answer, the wait ends
  /// this much later all the same.
  private static var slack: Duration { .milliseconds(500) }

  private let result = Mutex<Result<Reply, TransferFailure>?>(nil)
  private let isSettled = DispatchSemaphore(value: 0)
  private let deadline: ContinuousClock.Instant
  private let withdraw: @Sendable () -> Void

  init(deadline: ContinuousClock.Instant, withdraw: @escaping @Sendable () -> Void) {
    self.deadline = deadline
    self.withdraw = withdraw
  }

  /// Ends it now, whatever the loop is doing.
  package func cancel() {
    settle(.failure(TransferFailure(.cancelled)))
    withdraw()
  }

  /// Blocks the thread until there is a reply or a failure, the timeout at the latest.
  package func wait() throws(TransferFailure) -> Reply {
    let left = min(deadline - .now + Self.slack, .seconds(366 * 86_400))
    let bound = DispatchTime.now() + .milliseconds(Int(max(left, .zero) / .milliseconds(1)))
    if isSettled.wait(timeout: bound) == .timedOut {
      settle(.failure(TransferFailure(.timeout)))
      withdraw()
    }
    guard let result = result.withLock(\.self) else { throw TransferFailure(.timeout) }
    return try result.get()
  }

  /// The first result counts.
  func settle(_ new: Result<Reply, TransferFailure>) {
    let isFirst = result.withLock { result -> Bool in
      guard result == nil else { return false }
      result = new
      return true
    }
    if isFirst { isSettled.signal() }
  }
}
