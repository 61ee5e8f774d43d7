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

/// Both clocks, read together; every event carries it into the core.
package struct Now: Hashable, Sendable {
  package var wall: WallInstant
  package var monotonic: MonotonicInstant

  package init(wall: WallInstant, monotonic: MonotonicInstant) {
    self.wall = wall
    self.monotonic = monotonic
  }

  /// The wall clock's reading at `instant`, if nobody sets the clock until then.
  package func wall(at instant: MonotonicInstant) -> WallInstant { wall + (instant - monotonic) }
}

extension TimeSource {
  /// Both clocks, read one right after the other.
  package var now: Now { Now(wall: wall, monotonic: monotonic) }
}

/// The system's clocks: the wall clock and the clock under `DispatchTime`.
public struct SystemTimeSource: TimeSource {
  /// The system's clocks.
  public init() {}

  /// The wall clock.
  public var wall: WallInstant { WallInstant(nanoseconds: SystemClocks.wall) }

  /// The monotonic clock, which only moves forward.
  public var monotonic: MonotonicInstant { MonotonicInstant(nanoseconds: SystemClocks.monotonic) }

  /// The time that the machine has slept since it started; zero on Windows, where it is not known.
  public var slept: Duration { .nanoseconds(SystemClocks.slept) }

  #if os(Linux) && !TIMERMACHINE_PORTABLE
    /// Nanoseconds since the machine started, the time it slept included: deadlines that other
    /// processes keep are on this clock.
    package var sinceBoot: UInt64 { UInt64(max(0, SystemClocks.sinceBoot)) }

    /// The time with which the system stamps a file that is written now: that of its last tick, up
    /// to 10 ms ago.
    package var fileStamp: WallInstant { WallInstant(nanoseconds: SystemClocks.fileStamp) }
  #endif
}
