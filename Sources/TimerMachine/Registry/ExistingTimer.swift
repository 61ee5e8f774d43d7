/// What becomes of the timer that already has a name when another is added.
public enum ExistingTimer: String, Sendable, Hashable, CaseIterable {
  /// It is cancelled and the new one takes its place. The default.
  case replace
  /// It takes the new schedule and keeps its actions; the new action comes after them. One that
  /// is suspended stays so.
  case merge
  /// It stays and the new one is not made.
  case refuse
}
