package import TaktTime

/// A slot that has its verdict, or several of one job without a gap.
package struct DecidedSlot: Hashable, Sendable {
  package var record: VerdictRecord
  /// Nil for a run that has not ended, and for a slot without a run.
  package var outcome: Outcome?

  package init(record: VerdictRecord, outcome: Outcome? = nil) {
    self.record = record
    self.outcome = outcome
  }
}

package struct SlotQuery: Hashable, Sendable {
  /// Nil for any.
  package var job: JobName?
  /// Inclusive; nil for any.
  package var since: WallInstant?
  /// Exclusive; nil for any.
  package var until: WallInstant?
  /// Only those that did not run (`Verdict.didNotRun`).
  package var notRunOnly = false
  /// The most slots, the newest; over all jobs, those that were decided last.
  package var limit = 50
  /// True for a query that may walk through much of the ledger, and so is answered apart from
  /// others.
  package var walks = false

  package init() {}
}
