import TaktCore

/// A job's choice about clock changes; nil for the default of each kind of expression.
struct DSTChoice: Hashable {
  var gap: DSTPolicy.Gap?
  var overlap: DSTPolicy.Overlap?

  /// - Parameter own: the default of the expression.
  func policy(own: DSTPolicy) -> DSTPolicy {
    DSTPolicy(gap: gap ?? own.gap, overlap: overlap ?? own.overlap)
  }

  /// True if the job has made a choice, and so is prepared for clock changes.
  var isMade: Bool { gap != nil || overlap != nil }
}
