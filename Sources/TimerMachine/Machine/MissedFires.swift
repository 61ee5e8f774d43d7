/// What `resume` does with deadlines that passed while the machine was suspended.
public enum MissedFires: String, Sendable, Hashable, CaseIterable, Codable {
  /// One fire at once stands for all of them; `TimerFire.periods` counts them. The default.
  case coalesce
  /// They are forgotten; the next fire is the next deadline of the grid. A timer that fires once
  /// and was due meanwhile is over: `cancelled` with cause `exhausted`.
  case skip
}
