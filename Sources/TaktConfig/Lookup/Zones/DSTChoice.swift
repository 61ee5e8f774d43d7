import TaktCore

/// What a job says of clock changes; nil for each kind's own way.
struct DSTChoice: Hashable {
  var gap: DSTPolicy.Gap?
  var overlap: DSTPolicy.Overlap?

  /// - Parameter own: what applies where the job says nothing.
  func policy(own: DSTPolicy) -> DSTPolicy {
    DSTPolicy(gap: gap ?? own.gap, overlap: overlap ?? own.overlap)
  }

  /// Whether the job has said something, and so has thought of clock changes.
  var isMade: Bool { gap != nil || overlap != nil }
}
