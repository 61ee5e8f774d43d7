import Dispatch
import TaktTime
public import TimerMachine

/// Collects the fires that a handler receives, and lets a test wait for them.
public final class FireLog: Sendable {
  private let recorded = Guarded<[TimerFire]>([])
  private let arrival = DispatchSemaphore(value: 0)

  /// Creates an empty log.
  public init() {}

  /// The fires so far, in the order of their handler calls.
  public var fires: [TimerFire] { recorded.withLock { $0 } }

  /// The number of fires so far.
  public var count: Int { recorded.withLock { $0.count } }

  /// Adds a fire.
  public func record(_ fire: TimerFire) {
    recorded.withLock { $0.append(fire) }
    arrival.signal()
  }

  /// Blocks until a fire is added; returns at once for each fire not yet waited for.
  ///
  /// - Returns: false if none comes within a minute, which in a test means never.
  public func waitForArrival() -> Bool {
    arrival.wait(timeout: .now() + .seconds(60)) == .success
  }
}

/// An observer that collects transitions.
public final class TransitionLog: TimerObserver {
  private let recorded = Guarded<[TimerTransition]>([])

  /// Creates an empty log.
  public init() {}

  /// The transitions so far, in order.
  public var transitions: [TimerTransition] { recorded.withLock { $0 } }

  /// Adds the transition.
  public func observe(_ transition: TimerTransition) {
    recorded.withLock { $0.append(transition) }
  }
}
