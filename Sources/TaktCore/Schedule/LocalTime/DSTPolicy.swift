/// What a schedule does with local times that a clock change skips or repeats.
package struct DSTPolicy: Hashable, Sendable {
  /// A time over which the clock is put forward.
  package enum Gap: String, CaseIterable, Hashable, Sendable {
    /// It runs at the first instant after the gap.
    case runAfter = "run_after"
    /// It does not run that day.
    case skip
  }

  /// A time that comes twice because the clock is put back.
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
  /// Default `first`. What recurs within the hour goes on through both passes in any case.
  package var overlap: Overlap

  package init(gap: Gap = .runAfter, overlap: Overlap = .first) {
    self.gap = gap
    self.overlap = overlap
  }

  /// Classic cron's own: nothing is lost, nothing runs twice.
  package static let cron = DSTPolicy()
}
