import Glibc
import Synchronization

/// Measures how long the machine has slept, by the difference of two clocks of which one stops in
/// sleep.
///
/// Safe from any thread.
package final class SleepMeter: Sendable {
  private let last = Mutex(SleepMeter.total())

  package init() {}

  /// The time slept since the last call.
  package func popSlept() -> Duration {
    let total = Self.total()
    return last.withLock { last in
      defer { last = total }
      return max(.zero, total - last)
    }
  }

  private static func total() -> Duration {
    reading(CLOCK_BOOTTIME) - reading(CLOCK_MONOTONIC)
  }

  private static func reading(_ clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
