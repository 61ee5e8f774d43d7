import CTaktSystem
import Dispatch
import Glibc
import Synchronization

/// A thread of the system's own: for loops that live as long as the process and must not depend on
/// a pool of workers.
package enum Thread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  package static func start(name: String, _ body: @escaping @Sendable () -> Void)
    throws(SystemError)
  {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    // The new thread takes over the one reference that is made here.
    let argument = Unmanaged.passRetained(
      Body {
        // By itself: a thread that has ended cannot be named any more.
        csystem_name_thread(name)
        body()
      })
    let result = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, argument.toOpaque())
    guard result == 0 else {
      argument.release()
      throw SystemError("pthread_create", number: result)
    }
  }
}

/// The one thread that starts children, at takt's own nice value, so that a child can be given any
/// class; and that lives as long as the process, so that its children are never taken for orphans.
///
/// Safe from any thread.
final class SpawnThread: Sendable {
  typealias Work = @Sendable () -> Void

  private let queue = Mutex<[Work]>([])
  private let wake = DispatchSemaphore(value: 0)
  /// Since when it has been at the work in hand, in nanoseconds of the monotonic clock; 0 when idle.
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

  /// How long it has been at the work in hand. Nothing that it does waits for a child, a file system
  /// or a server, so that this is never long.
  var busyTime: Duration {
    let since = busySince.load(ordering: .relaxed)
    let now = DispatchTime.now().uptimeNanoseconds
    return since == 0 || now < since ? .zero : .nanoseconds(Int64(clamping: now - since))
  }

  /// Does `work` after all that was handed over before it.
  func perform(_ work: @escaping Work) {
    let isFirst = queue.withLock { queue in
      queue.append(work)
      return queue.count == 1
    }
    if isFirst { wake.signal() }
  }
}
