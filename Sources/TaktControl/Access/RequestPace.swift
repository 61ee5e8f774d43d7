import Synchronization
import TaktCore
import TaktTime

/// How often requests that bear no token are answered. Those beyond wait for their turn, and those
/// that would wait too long are refused.
///
/// Safe from any thread.
final class RequestPace: Sendable {
  private let interval: Duration
  private let burst: Duration
  private let waitMax: Duration
  /// When the next turn would be, had there been no pause before; a pause gives up to `burst` back.
  private let next = Mutex(MonotonicInstant(nanoseconds: .min))

  /// - Parameters:
  ///   - perSecond: how many turns there are a second.
  ///   - burst: how many turns come at once after a pause.
  ///   - waitMax: how long a request waits for its turn at most.
  init(perSecond: Int, burst: Int, waitMax: Duration) {
    interval = .seconds(1) / perSecond
    self.burst = interval * burst
    self.waitMax = waitMax
  }

  /// How long a request that comes now waits for its turn; nil when that would be too long, and it
  /// gets none.
  func turn(at now: MonotonicInstant) -> Duration? {
    next.withLock { next in
      let turn = max(next, now - burst) + interval
      guard turn - now <= waitMax else { return nil }
      next = turn
      return max(.zero, turn - now)
    }
  }
}
