/// What becomes of a timer's grid when its interval changes.
public enum TimerPhase: String, Sendable, Hashable, CaseIterable, Codable {
  /// The grid keeps its first deadline: the next fire is the next start + k·interval.
  case keep
  /// The grid begins anew: the next fire is one interval from now.
  case restart
}
