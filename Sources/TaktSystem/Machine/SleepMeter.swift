import Glibc
import Synchronization

/// How long the machine has slept: the time by which the clock that goes on in sleep has gone
/// further than the one that does not.
///
/// Safe from any thread.
package final class SleepMeter: Sendable {
  private let last = Mutex(SleepMeter.total())

  package init() {}

  /// How long the machine has slept since this was asked last.
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
