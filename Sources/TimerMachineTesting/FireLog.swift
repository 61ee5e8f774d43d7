import Dispatch
import TaktTime
public import TimerMachine

/// Collects what a handler received and lets a test wait for it.
public final class FireLog: Sendable {
  private let recorded = Guarded<[TimerFire]>([])
  private let arrival = DispatchSemaphore(value: 0)

  /// An empty log.
  public init() {}

  /// The fires so far, in the order of their handler calls.
  public var fires: [TimerFire] { recorded.withLock { $0 } }

  /// How many fires there were so far.
  public var count: Int { recorded.withLock { $0.count } }

  /// Adds a fire.
  public func record(_ fire: TimerFire) {
    recorded.withLock { $0.append(fire) }
    arrival.signal()
  }

  /// Blocks until a fire is added; returns at once for each one not waited for yet.
  ///
  /// - Returns: false when none came within a minute, which in a test means never.
  public func waitForArrival() -> Bool {
    arrival.wait(timeout: .now() + .seconds(60)) == .success
  }
}

/// An observer that keeps what it is told.
public final class TransitionLog: TimerObserver {
  private let recorded = Guarded<[TimerTransition]>([])

  /// An empty log.
  public init() {}

  /// The transitions so far, in the order in which they were told.
  public var transitions: [TimerTransition] { recorded.withLock { $0 } }

  /// Keeps the transition.
  public func observe(_ transition: TimerTransition) {
    recorded.withLock { $0.append(transition) }
  }
}
