import Dispatch
import Synchronization
import TaktSystem

/// The one thread that starts children, at takt's own nice value, so that a child can be given any
/// class. It lives as long as the process, so that its children are never taken for orphans.
///
/// Safe from any thread.
final class SpawnThread: Sendable {
  typealias Work = @Sendable () -> Void

  private let queue = Mutex<[Work]>([])
  private let wake = DispatchSemaphore(value: 0)
  /// The start of the present work, in nanoseconds of the monotonic clock; 0 if idle.
  private let busySince = Atomic<UInt64>(0)

  init() throws(SystemError) {
    try Thread.start(name: "takt-spawn") { [self] in
      while true {
        wake.wait()
        let works = queue.withLock { queue in
          defer { queue = [] }
          return queue
        }
        for work in works {
          busySince.store(DispatchTime.now().uptimeNanoseconds, ordering: .relaxed)
          work()
        }
        busySince.store(0, ordering: .relaxed)
      }
    }
  }

  /// The duration of the present work. It never waits for a child, a file system or a server, so
  /// that this is never long.
  var busyTime: Duration {
    let since = busySince.load(ordering: .relaxed)
    let now = DispatchTime.now().uptimeNanoseconds
    return since == 0 || now < since ? .zero : .nanoseconds(Int64(clamping: now - since))
  }

  /// Performs `work` after all that was handed over before.
  func perform(_ work: @escaping Work) {
    let isFirst = queue.withLock { queue in
      queue.append(work)
      return queue.count == 1
    }
    if isFirst { wake.signal() }
  }
}
