package import TaktTime

/// What former takts have left in the ledger: where a new one goes on.
package struct FormerBooks: Hashable, Sendable {
  /// The highest number of a run; 0 when there was none.
  package var lastRun: UInt64
  /// The jobs that are remembered.
  package var jobs: [JobName: FormerJob]
  /// Runs that have no end, and those that were to go on with a further attempt, the oldest first.
  package var runs: [FormerRun]
  /// Whether there are books that cannot be read now: what a job seems to begin with may be known.
  package var isUnread = false

  /// Nothing unless told otherwise.
  package init(lastRun: UInt64 = 0, jobs: [JobName: FormerJob] = [:], runs: [FormerRun] = []) {
    self.lastRun = lastRun
    self.jobs = jobs
    self.runs = runs
  }
}

/// A job as a former takt left it.
package struct FormerJob: Hashable, Sendable {
  /// How far it had come.
  package var mark: JobMark
  /// Whether the machine has gone on since, so that the job's clock still means something.
  package var isSameBoot: Bool
  /// By what it was due last.
  package var version: ScheduleVersion
  /// Whether that still applies; false for a job that had been removed.
  package var isOpen: Bool
  /// Slots behind the mark without a verdict, ascending.
  package var pending: [WallInstant]

  /// A job as it was left.
  package init(
    mark: JobMark, isSameBoot: Bool, version: ScheduleVersion, isOpen: Bool,
    pending: [WallInstant] = []
  ) {
    self.mark = mark
    self.isSameBoot = isSameBoot
    self.version = version
    self.isOpen = isOpen
    self.pending = pending
  }
}

/// A run that a former takt did not bring to its end.
package struct FormerRun: Hashable, Sendable {
  /// How it began.
  package var beginning: RunBeginning
  /// Whether it never got further than its claim, so that its slot has no verdict.
  package var isUndecided: Bool
  /// How many attempts had begun.
  package var attempts: Int
  /// Set when it waited for its next attempt.
  package var retry: RetryPosition?
  /// Whether it has an end: it waited for an attempt when takt was stopped.
  package var isEnded: Bool

  /// A run as it was left.
  package init(
    beginning: RunBeginning, isUndecided: Bool = false, attempts: Int, retry: RetryPosition? = nil,
    isEnded: Bool = false
  ) {
    self.beginning = beginning
    self.isUndecided = isUndecided
    self.attempts = attempts
    self.retry = retry
    self.isEnded = isEnded
  }
}
