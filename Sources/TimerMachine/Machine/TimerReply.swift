/// What an operation on a timer machine came to. An operation never traps.
public enum TimerReply: Sendable, Hashable {
  /// Done. Fires that follow from it carry this generation.
  case accepted(generation: UInt64)
  /// Not legal in this state: ignored, counted and reported to the observer.
  case refused(state: TimerState)

  /// Whether the operation was done.
  public var isAccepted: Bool {
    switch self {
    case .accepted: true
    case .refused: false
    }
  }
}
