import Dispatch

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
      // A pointer, unlike glibc's number.
      UInt(bitPattern: pthread_self())
    #endif
  }

  /// The identity that an actor has in place of a thread's; no thread has it.
  static func of(_ actor: any Actor) -> UInt { UInt(bitPattern: ObjectIdentifier(actor)) }

  /// True if the main queue, and with it the main actor, waits for the caller. The thread is no
  /// indication: on Linux, any may serve that queue once the main thread has been given up.
  static var isMain: Bool { DispatchQueue.getSpecific(key: mainKey) == true }

  private static let mainKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()
}
