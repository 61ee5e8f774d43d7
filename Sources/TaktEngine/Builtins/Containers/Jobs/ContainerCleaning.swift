import Dispatch
import Synchronization
import TaktSystem

/// One removal of an engine's leftover containers, on a thread of its own, for which any number of
/// attempts wait.
final class ContainerCleaning: Sendable {
  private let work = DispatchGroup()
  private let failure = Mutex<ContainerFailure?>(nil)

  /// Starts it.
  ///
  /// - Parameter onEnd: called on its thread before anyone learns of the end.
  func begin(
    _ body: @escaping @Sendable () throws(ContainerFailure) -> Void,
    onEnd: @escaping @Sendable () -> Void
  ) {
    work.enter()
    let end: @Sendable (ContainerFailure?) -> Void = { [self] result in
      failure.withLock { $0 = result }
      onEnd()
      work.leave()
    }
    do throws(SystemError) {
      try Thread.start(name: "takt-leftovers") {
        do throws(ContainerFailure) {
          try body()
          end(nil)
        } catch {
          end(error)
        }
      }
    } catch {
      end(ContainerFailure(.unable, "cannot start a thread: \(error)"))
    }
  }

  /// Blocks the thread until the end, or `cancellation`.
  func wait(cancelledBy cancellation: Cancellation?) throws(ContainerFailure) {
    let woken = DispatchSemaphore(value: 0)
    work.notify(queue: .global()) { woken.signal() }
    if let cancellation {
      cancellation.whileWatched(by: { woken.signal() }) { woken.wait() }
      if cancellation.isCancelled {
        throw ContainerFailure(.cancelled, "cancelled while the container engine did not answer")
      }
    } else {
      woken.wait()
    }
    if let failure = failure.withLock(\.self) { throw failure }
  }
}
