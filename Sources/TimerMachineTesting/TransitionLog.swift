public import TimerMachine

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
