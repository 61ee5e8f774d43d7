package import TaktTime

/// What is kept of runs.
///
/// Safe from any thread; blocks while it reads.
package protocol RunArchive: Sendable {
  /// The runs that are wanted, the newest first.
  ///
  /// - Throws: what is in the way, in words for people.
  func runs(_ query: RunQuery) throws(ArchiveError) -> [StoredRun]

  /// One run; nil when there is none of this number.
  func run(_ number: RunID) throws(ArchiveError) -> StoredRun?

  /// What is kept of what the attempts of a run have printed, by their numbers; of those that have
  /// printed nothing there is none.
  func outputs(of number: RunID) throws(ArchiveError) -> [StoredOutput]

  /// What became of slots of jobs, in any order.
  func verdicts(_ query: VerdictQuery) throws(ArchiveError) -> [VerdictRecord]

  /// The decided slots that are wanted, the newest first.
  func slots(_ query: SlotQuery) throws(ArchiveError) -> [DecidedSlot]

  /// What happened in each hour, or on each day, of a range.
  func heat(_ query: HeatQuery) throws(ArchiveError) -> HeatMap

  /// How long the last runs of each job took, on average; jobs without such runs are left out.
  func meanDurations() throws(ArchiveError) -> [JobName: Duration]

  /// Times without a daemon that touch a range, in order.
  func absences(
    from first: WallInstant, to last: WallInstant
  ) throws(ArchiveError) -> [DaemonAbsence]
}

/// Which verdicts are wanted.
package struct VerdictQuery: Hashable, Sendable {
  /// Nil for all jobs together.
  package var jobs: [JobName]?
  /// Those on slots at or after this instant.
  package var since: WallInstant
  /// Those on slots before this instant; nil for any.
  package var until: WallInstant?
  /// Those decided before this instant.
  package var before: WallInstant
  /// How many of each job, the newest; of all jobs together, those that were decided last.
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

/// A time without a daemon.
package struct DaemonAbsence: Hashable, Sendable {
  package var from: WallInstant
  /// Nil when no daemon has come since.
  package var to: WallInstant?
  /// Whether the daemon was killed, so that `from` is when it was last seen.
  package var wasKilled: Bool

  package init(from: WallInstant, to: WallInstant?, wasKilled: Bool) {
    self.from = from
    self.to = to
    self.wasKilled = wasKilled
  }
}

/// What is kept of what one attempt has printed.
package struct StoredOutput: Hashable, Sendable {
  /// How many attempts of one run the outputs are kept of at most: the newest.
  package static let attemptsMax = 100

  /// The number of the attempt, from 1.
  package var attempt: Int
  package var output: KeptOutput

  package init(attempt: Int, output: KeptOutput) {
    self.attempt = attempt
    self.output = output
  }
}

/// Why nothing can be read.
package struct ArchiveError: Error, Hashable, Sendable {
  package var message: String

  package init(_ message: String) { self.message = message }
}

/// Which runs are wanted.
package struct RunQuery: Hashable, Sendable {
  package static let failures: [Outcome] = [.failed, .timedOut, .interrupted]

  /// Of this job; nil for any.
  package var job: JobName?
  /// Only those that failed, timed out or were interrupted.
  package var failedOnly = false
  /// Only those that began, or ended, at this instant or later.
  package var since: WallInstant?
  /// Only those that began before this instant.
  package var until: WallInstant?
  package var withHooks = false
  /// Only those with smaller numbers; nil for any.
  package var before: RunID?
  /// How many, the newest.
  package var limit = 50

  package init() {}

  /// Whether a run is one of those that are wanted, but for the number of them.
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
