#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A source of the current time. Pass it in everywhere, so that tests can use virtual time.
///
/// Safe from any thread.
public protocol TimeSource: Sendable {
  /// The wall clock, which can be set in both directions.
  var wall: WallInstant { get }

  /// The monotonic clock, which only moves forward.
  var monotonic: MonotonicInstant { get }

  /// The time that the machine has slept, which `monotonic` does not count. Default zero.
  var slept: Duration { get }
}

extension TimeSource {
  /// The time that the machine has slept: zero for clocks that do not track it.
  public var slept: Duration { .zero }
}

/// Both clocks, read together: what every event carries into the core.
package struct Now: Hashable, Sendable {
  package var wall: WallInstant
  package var monotonic: MonotonicInstant

  package init(wall: WallInstant, monotonic: MonotonicInstant) {
    self.wall = wall
    self.monotonic = monotonic
  }

  /// What the clock that people read will show at `instant`, if nobody sets it.
  package func wall(at instant: MonotonicInstant) -> WallInstant { wall + (instant - monotonic) }
}

extension TimeSource {
  /// Both clocks, read one right after the other.
  package var now: Now { Now(wall: wall, monotonic: monotonic) }
}

/// The system's clocks: `CLOCK_REALTIME` and the clock under `DispatchTime`.
public struct SystemTimeSource: TimeSource {
  /// The system's clocks.
  public init() {}

  /// The wall clock.
  public var wall: WallInstant {
    WallInstant(nanoseconds: Self.read(CLOCK_REALTIME))
  }

  /// The monotonic clock, which only moves forward.
  public var monotonic: MonotonicInstant {
    #if os(Linux)
      MonotonicInstant(nanoseconds: Self.read(CLOCK_MONOTONIC))
    #else
      MonotonicInstant(nanoseconds: Self.read(CLOCK_UPTIME_RAW))
    #endif
  }

  #if os(Linux)
    /// `CLOCK_BOOTTIME` less `CLOCK_MONOTONIC`.
    public var slept: Duration {
      .nanoseconds(max(0, Self.read(CLOCK_BOOTTIME) - Self.read(CLOCK_MONOTONIC)))
    }

    /// Nanoseconds since the machine started, the time it slept included: deadlines that other
    /// processes keep are on this clock.
    package var sinceBoot: UInt64 { UInt64(max(0, Self.read(CLOCK_BOOTTIME))) }

    /// The time with which the system stamps a file that is written now: that of its last tick, up
    /// to 10 ms ago.
    package var fileStamp: WallInstant {
      WallInstant(nanoseconds: Self.read(CLOCK_REALTIME_COARSE))
    }
  #endif

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
