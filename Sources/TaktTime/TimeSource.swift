#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the time comes from. It is always handed in, so that virtual time can take its place.
///
/// Safe from any thread.
public protocol TimeSource: Sendable {
  /// The clock that people read; it can be set, in both directions.
  var wall: WallInstant { get }

  /// The clock that only goes forward.
  var monotonic: MonotonicInstant { get }

  /// How long the machine has slept, as far as `monotonic` has left it out: what that clock lacks to
  /// the time since boot. Default zero.
  var slept: Duration { get }
}

extension TimeSource {
  /// How long the machine has slept: zero for clocks that know of no sleep.
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

  #if os(Linux)
    /// `CLOCK_BOOTTIME` less `CLOCK_MONOTONIC`.
    public var slept: Duration {
      .nanoseconds(max(0, Self.read(CLOCK_BOOTTIME) - Self.read(CLOCK_MONOTONIC)))
    }

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
