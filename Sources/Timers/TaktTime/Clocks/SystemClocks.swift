#if os(Windows) || TIMERMACHINE_PORTABLE
  import Dispatch

  /// The system's clocks in nanoseconds, as Dispatch reads them.
  enum SystemClocks {
    /// Dispatch keeps the time since 1970 negated.
    static var wall: Int64 { -Int64(bitPattern: DispatchWallTime.now().rawValue) }

    static var monotonic: Int64 { Int64(bitPattern: DispatchTime.now().uptimeNanoseconds) }

    /// Unknown: no clock of Dispatch that a program may read counts sleep.
    static var slept: Int64 { 0 }
  }
#else
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// The system's clocks in nanoseconds. The names of the two that no one can set differ: Swift's
  /// `SuspendingClock` and `ContinuousClock` read the same ones.
  enum SystemClocks {
    #if canImport(Darwin)
      private static var suspending: clockid_t { CLOCK_UPTIME_RAW }
      private static var continuous: clockid_t { CLOCK_MONOTONIC_RAW }
    #else
      private static var suspending: clockid_t { CLOCK_MONOTONIC }
      private static var continuous: clockid_t { CLOCK_BOOTTIME }
    #endif

    static var wall: Int64 { read(CLOCK_REALTIME) }

    static var monotonic: Int64 { read(suspending) }

    static var slept: Int64 { max(0, sinceBoot - monotonic) }

    static var sinceBoot: Int64 { read(continuous) }

    #if os(Linux)
      static var fileStamp: Int64 { read(CLOCK_REALTIME_COARSE) }
    #endif

    private static func read(_ clock: clockid_t) -> Int64 {
      var time = timespec()
      clock_gettime(clock, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
  }
#endif
