/// What former takts have left in the ledger: where a new one goes on.
public struct FormerBooks: Hashable, Sendable {
  /// The highest number of a run; 0 when there was none.
  public var lastRun: UInt64
  /// The jobs that are remembered.
  public var jobs: [JobName: FormerJob]
  /// Runs that have no end, and those that were to go on with a further attempt, the oldest first.
  public var runs: [FormerRun]
  /// Whether there are books that cannot be read now: what a job seems to begin with may be known.
  public var isUnread = false

  /// Nothing unless told otherwise.
  public init(lastRun: UInt64 = 0, jobs: [JobName: FormerJob] = [:], runs: [FormerRun] = []) {
    self.lastRun = lastRun
    self.jobs = jobs
    self.runs = runs
  }
}

/// A job as a former takt left it.
public struct FormerJob: Hashable, Sendable {
  /// How far it had come.
  public var mark: JobMark
  /// Whether the machine has gone on since, so that the job's clock still means something.
  public var isSameBoot: Bool
  /// By what it was due last.
  public var version: ScheduleVersion
  /// Whether that still applies; false for a job that had been removed.
  public var isOpen: Bool
  /// Slots behind the mark without a verdict, ascending.
  public var pending: [WallInstant]

  /// A job as it was left.
  public init(
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
public struct FormerRun: Hashable, Sendable {
  /// How it began.
  public var beginning: RunBeginning
  /// Whether it never got further than its claim, so that its slot has no verdict.
  public var isUndecided: Bool
  /// How many attempts had begun.
  public var attempts: Int
  /// Set when it waited for its next attempt.
  public var retry: RetryPosition?
  /// Whether it has an end: it waited for an attempt when takt was stopped.
  public var isEnded: Bool

  /// A run as it was left.
  public init(
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
