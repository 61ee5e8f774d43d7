#if os(Linux) && !TIMERMACHINE_PORTABLE
  import CTimerFD
#endif

/// Asks the processor for memory before it is needed: `make bench ONLY=timers`, with a million of them.
enum Prefetch {
  /// Begins to fetch `count` cache lines from `address` on; nothing is read through it.
  @inline(__always)
  static func lines(_ count: Int, from address: UnsafeRawPointer?) {
    #if os(Linux) && !TIMERMACHINE_PORTABLE
      guard let address else { return }
      for line in 0..<count { cprefetch(address + 64 * line) }
    #endif
  }
}
