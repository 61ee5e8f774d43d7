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
}
