/// Why a transition happened.
public enum TimerCause: String, Sendable, Hashable, CaseIterable, Codable {
  /// An operation asked for it.
  case requested
  /// The deadline came.
  case due
  /// The deadline came and was the last of its schedule.
  case exhausted
  /// The last reference to the machine was dropped.
  case released
  /// The operation is not legal in this state: nothing changed.
  case refused
}
