/// Where a timer machine stands. `TimerState.transition(on:last:)` holds the whole table.
public enum TimerState: String, Sendable, Hashable, CaseIterable, Codable {
  /// Made, never activated; owns nothing of the system.
  case idle
  /// Armed: the next fire will come.
  case running
  /// Holds its schedule and its place in it, armed for nothing.
  case suspended
  /// Over, by request or because no fire is left; may be activated again.
  case cancelled
}
