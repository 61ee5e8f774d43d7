#if os(Linux)
  import CTimerFD
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif os(Windows)
  import WinSDK
#endif

/// Names the calling thread, so that a handler's own thread can be told from others.
enum ThreadIdentity {
  /// Never zero, and unique among the threads alive.
  static var current: UInt {
    #if os(Windows)
      UInt(GetCurrentThreadId())
    #elseif canImport(Glibc)
      UInt(pthread_self())
    #else
      // A pointer, where glibc has a number.
      UInt(bitPattern: pthread_self())
    #endif
  }

  /// Stands for the main actor's thread, whichever that is; the identity of none.
  static let mainActor: UInt = 1

  /// Whether this is the main actor's thread. False where the system does not tell.
  static var isMain: Bool {
    #if canImport(Darwin)
      pthread_main_np() != 0
    #elseif os(Linux)
      ctimerfd_is_main_thread()
    #else
      false
    #endif
  }
}
