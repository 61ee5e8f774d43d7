import CTaktSystem
import Glibc

/// A thread of its own: for loops that live as long as the process and must not depend on a pool of
/// workers, and for calls that may block.
package enum Thread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Blocks the calling thread, which is to be one of `start`.
  package static func sleep(_ duration: Duration) {
    usleep(UInt32(clamping: Int64(duration / .microseconds(1))))
  }

  /// Starts a detached thread.
  ///
  /// - Parameter name: at most 15 bytes, as the system shows it in lists of threads.
  /// - Throws: what the system says where it has no thread left.
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
