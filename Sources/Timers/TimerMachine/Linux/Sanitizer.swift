#if os(Linux) && !TIMERMACHINE_PORTABLE
  import CTimerFD
#endif

/// Tells ThreadSanitizer what it cannot see on Linux.
///
/// The standard library's `Mutex` is made of futexes there, in code that is not instrumented, so
/// everything that it protects would be reported as a race.
enum Sanitizer {
  @inline(__always)
  static var isPresent: Bool {
    #if os(Linux) && !TIMERMACHINE_PORTABLE
      csanitizer_is_present()
    #else
      false
    #endif
  }

  /// The lock at `address` was taken.
  @inline(__always)
  static func lockTaken(at address: UnsafeRawPointer) {
    #if os(Linux) && !TIMERMACHINE_PORTABLE
      csanitizer_lock_taken(address)
    #endif
  }

  /// The lock at `address` is about to be given back.
  @inline(__always)
  static func lockReturning(at address: UnsafeRawPointer) {
    #if os(Linux) && !TIMERMACHINE_PORTABLE
      csanitizer_lock_returning(address)
    #endif
  }
}
