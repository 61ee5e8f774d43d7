public import TimerMachine
public import TaktTime

/// Two clocks that a test moves: the monotonic clock only forward, the wall clock in both
/// directions.
public final class ManualClock: SteppingTimeSource {
  private struct State {
    var monotonic: MonotonicInstant
    var wall: WallInstant
    var slept = Duration.zero
    var watchers: [UInt64: @Sendable () -> Void] = [:]
    var lastWatcher: UInt64 = 0
  }

  private let state: Guarded<State>

  /// Creates clocks that stop at these instants.
  ///
  /// - Parameters:
  ///   - monotonic: default 0 s.
  ///   - wall: default 2026-01-01T00:00:00Z.
  public init(
    monotonic: MonotonicInstant = MonotonicInstant(nanoseconds: 0),
    wall: WallInstant = WallInstant(nanoseconds: 1_767_225_600_000_000_000)
  ) {
    state = Guarded(State(monotonic: monotonic, wall: wall))
  }

  /// The monotonic clock, which only moves forward.
  public var monotonic: MonotonicInstant { state.withLock { $0.monotonic } }

  /// The wall clock.
  public var wall: WallInstant { state.withLock { $0.wall } }

  /// Moves both clocks until the monotonic clock is at `instant`; a past instant is ignored.
  public func pass(to instant: MonotonicInstant) {
    state.withLock { state in
      guard instant > state.monotonic else { return }
      state.wall = state.wall + (instant - state.monotonic)
      state.monotonic = instant
    }
  }

  /// The time that the machine has slept so far.
  public var slept: Duration { state.withLock { $0.slept } }

  /// Lets the machine sleep: time passes on the wall clock and since boot, but not on the monotonic
  /// clock. The watchers are called when it wakes. A negative duration counts as zero.
  public func sleep(for duration: Duration) {
    let duration = max(.zero, duration)
    state.withLock { $0.slept += duration }
    setWall(wall + duration)
  }

  /// Sets the wall clock and calls the watchers; the monotonic clock does not change.
  public func setWall(_ instant: WallInstant) {
    let watchers = state.withLock { state in
      state.wall = instant
      return state.watchers.sorted { $0.key < $1.key }.map(\.value)
    }
    for watcher in watchers { watcher() }
  }

  /// Calls `handler` after each `setWall` and `sleep(for:)`, on the calling thread.
  public func onClockStep(_ handler: @escaping @Sendable () -> Void) -> ClockStepSubscription {
    let number = state.withLock { state in
      state.lastWatcher += 1
      state.watchers[state.lastWatcher] = handler
      return state.lastWatcher
    }
    return ClockStepSubscription { [weak self] in
      _ = self?.state.withLock { $0.watchers.removeValue(forKey: number) }
    }
  }
}
