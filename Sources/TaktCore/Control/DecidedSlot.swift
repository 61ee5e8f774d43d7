package import TaktTime

/// A slot that has its verdict, or several of one job without a gap.
package struct DecidedSlot: Hashable, Sendable {
  package var record: VerdictRecord
  /// How its run has ended; nil for one that has not, and for a slot without a run.
  package var outcome: Outcome?

  package init(record: VerdictRecord, outcome: Outcome? = nil) {
    self.record = record
    self.outcome = outcome
  }
}

/// Which decided slots are wanted.
package struct SlotQuery: Hashable, Sendable {
  /// Of this job; nil for any.
  package var job: JobName?
  /// Those at or after this instant; nil for any.
  package var since: WallInstant?
  /// Those before this instant; nil for any.
  package var until: WallInstant?
  /// Only those that did not run (`Verdict.didNotRun`).
  package var notRunOnly = false
  /// How many, the newest; of all jobs together, those that were decided last.
  package var limit = 50
  /// Whether it may walk through much of the ledger, so that it is answered beside other questions.
  package var walks = false

  package init() {}
}
