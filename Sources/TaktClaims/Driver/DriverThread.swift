import CTaktClaims

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A thread of the system's own, which may block and which nobody waits for.
enum DriverThread {
  struct Failure: Error {
    var text: String
  }

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Blocks the calling thread.
  static func sleep(_ duration: Duration) {
    usleep(UInt32(clamping: Int64(duration / .microseconds(1))))
  }

  static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(Failure) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    // The new thread takes over the one reference that is made here.
    let argument = Unmanaged.passRetained(
      Body {
        cclaims_name_thread(name)
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
      throw Failure(text: String(cString: strerror(result)))
    }
  }
}
