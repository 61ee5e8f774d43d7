package import TaktTime

/// The records of runs.
///
/// Safe from any thread; blocks while it reads.
package protocol RunArchive: Sendable {
  /// The newest first.
  ///
  /// - Throws: the reason, in words for people.
  func runs(_ query: RunQuery) throws(ArchiveError) -> [StoredRun]

  /// Nil if there is no run of this number.
  func run(_ number: RunID) throws(ArchiveError) -> StoredRun?

  /// The kept output of a run's attempts, by their numbers, without attempts that have printed
  /// nothing.
  func outputs(of number: RunID) throws(ArchiveError) -> [StoredOutput]

  /// In any order.
  func verdicts(_ query: VerdictQuery) throws(ArchiveError) -> [VerdictRecord]

  /// The newest first.
  func slots(_ query: SlotQuery) throws(ArchiveError) -> [DecidedSlot]

  func heat(_ query: HeatQuery) throws(ArchiveError) -> HeatMap

  /// The average time of the last runs of each job; jobs without such runs are left out.
  func meanDurations() throws(ArchiveError) -> [JobName: Duration]

  /// Times without a daemon that touch a range, in order.
  func absences(
    from first: WallInstant, to last: WallInstant
  ) throws(ArchiveError) -> [DaemonAbsence]
}

package struct VerdictQuery: Hashable, Sendable {
  /// Nil for all jobs together.
  package var jobs: [JobName]?
  /// Inclusive, by the slot.
  package var since: WallInstant
  /// Exclusive, by the slot; nil for any.
  package var until: WallInstant?
  /// Exclusive, by the time of the verdict.
  package var before: WallInstant
  /// The most verdicts of each job, the newest; over all jobs, those that were decided last.
  package var limit: Int

  package init(
    jobs: [JobName]?, since: WallInstant, until: WallInstant? = nil, before: WallInstant,
    limit: Int
  ) {
    self.jobs = jobs
    self.since = since
    self.until = until
    self.before = before
    self.limit = limit
  }
}

package struct DaemonAbsence: Hashable, Sendable {
  package var from: WallInstant
  /// Nil if no daemon has started since.
  package var to: WallInstant?
  /// True if the daemon was killed, so that `from` is the time of its last sign of life.
  package var wasKilled: Bool

  package init(from: WallInstant, to: WallInstant?, wasKilled: Bool) {
    self.from = from
    self.to = to
    self.wasKilled = wasKilled
  }
}

package struct StoredOutput: Hashable, Sendable {
  /// The most attempts of one run whose outputs are kept: the newest.
  package static let attemptsMax = 100

  /// The number of the attempt, from 1.
  package var attempt: Int
  package var output: KeptOutput

  package init(attempt: Int, output: KeptOutput) {
    self.attempt = attempt
    self.output = output
  }
}

/// The reason why nothing can be read.
package struct ArchiveError: Error, Hashable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}

package struct RunQuery: Hashable, Sendable {
  package static let failures: [Outcome] = [.failed, .timedOut, .interrupted]

  /// Nil for any.
  package var job: JobName?
  /// Only those that failed, timed out or were interrupted.
  package var failedOnly = false
  /// Inclusive, by the start or the end; nil for any.
  package var since: WallInstant?
  /// Exclusive, by the start; nil for any.
  package var until: WallInstant?
  package var withHooks = false
  /// Only those with smaller numbers; nil for any.
  package var before: RunID?
  /// The most runs, the newest.
  package var limit = 50

  package init() {}

  /// Ignores the limit.
  package func wants(_ run: StoredRun) -> Bool {
    if let job, run.head.job != job { return false }
    if failedOnly, run.end.map({ Self.failures.contains($0.outcome) }) != true { return false }
    if !withHooks, run.head.hook != nil { return false }
    if let before, run.head.run >= before { return false }
    if let until, run.beganAt ?? run.head.slot >= until { return false }
    guard let since else { return true }
    return run.endedAt ?? run.beganAt ?? run.head.slot >= since
  }
}
