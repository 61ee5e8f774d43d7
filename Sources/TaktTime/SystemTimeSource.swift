#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  public import Darwin
#endif

/// The machine's own clocks: `CLOCK_REALTIME` and the clock under `DispatchTime`.
public struct SystemTimeSource: TimeSource {
  /// The machine's own clocks.
  public init() {}

  /// The clock that people read.
  public var wall: WallInstant {
    WallInstant(nanoseconds: Self.read(CLOCK_REALTIME))
  }

  /// The clock that only goes forward.
  public var monotonic: MonotonicInstant {
    #if os(Linux)
      MonotonicInstant(nanoseconds: Self.read(CLOCK_MONOTONIC))
    #else
      MonotonicInstant(nanoseconds: Self.read(CLOCK_UPTIME_RAW))
    #endif
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
