import Synchronization

/// A value behind a `Mutex` that ThreadSanitizer understands on every system.
package struct Guarded<Value: ~Copyable>: ~Copyable, Sendable {
  private let mutex: Mutex<Value>

  /// Puts a value behind a lock of its own.
  package init(_ value: consuming sending Value) {
    mutex = Mutex(value)
  }

  /// Runs `body` while no other thread is at the value. Not recursive. Inline for the gate's `wakes`.
  @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock { (value) throws(Failure) -> sending Result in
      let isWatched = Sanitizer.isPresent
      if isWatched { Sanitizer.lockTaken(at: address) }
      defer { if isWatched { Sanitizer.lockReturning(at: address) } }
      return try body(&value)
    }
  }

  /// Names the lock; it is not read through. A mutex never moves, so it is always the same.
  @inline(__always)
  private var address: UnsafeRawPointer {
    withUnsafePointer(to: mutex) { UnsafeRawPointer($0) }
  }
}
