/// The policy for local times that a clock change skips or repeats.
package struct DSTPolicy: Hashable, Sendable {
  /// The policy for a skipped time.
  package enum Gap: String, CaseIterable, Hashable, Sendable {
    /// It runs at the first instant after the gap.
    case runAfter = "run_after"
    /// It does not run that day.
    case skip
  }

  /// The policy for a repeated time.
  package enum Overlap: String, CaseIterable, Hashable, Sendable {
    /// It runs the first time only.
    case first
    /// It runs the second time only.
    case second
    /// It runs both times.
    case both
  }

  /// Default `runAfter`.
  package var gap: Gap
  /// Default `first`. A rule that recurs within the hour continues through both passes in any case.
  package var overlap: Overlap

  package init(gap: Gap = .runAfter, overlap: Overlap = .first) {
    self.gap = gap
    self.overlap = overlap
  }

  /// Classic cron's own: nothing is lost, nothing runs twice.
  package static let cron = DSTPolicy()
}
