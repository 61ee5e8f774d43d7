import TaktCore

/// What holds of this takt for as long as it runs.
public struct DaemonFacts: Sendable {
  /// Its version.
  public var version: String
  /// Its process.
  public var pid: Int32
  /// When it started.
  public var started: WallInstant
  /// The main jobs file: an absolute path.
  public var file: String
  /// The same as somebody gave it, which is how diagnostics name it.
  public var givenFile: String
  /// Where the ledger is; nil without one.
  public var stateFolder: String?
  /// How processes of a run are told from others, such as `cgroup v2`.
  public var tracking: String

  /// What holds of this takt.
  public init(
    version: String, pid: Int32, started: WallInstant, file: String, givenFile: String,
    stateFolder: String?, tracking: String
  ) {
    self.version = version
    self.pid = pid
    self.started = started
    self.file = file
    self.givenFile = givenFile
    self.stateFolder = stateFolder
    self.tracking = tracking
  }
}

/// What others count.
public struct DaemonFigures: Sendable {
  /// How the ledger stands.
  public struct LedgerFigures: Sendable {
    /// Entries that are not written yet.
    public var queued: Int
    /// Entries that could not be kept.
    public var lostEntries: Int
    /// Whether it cannot be written.
    public var isFailing: Bool
    /// All of it in a sentence.
    public var words: String

    /// How the ledger stands.
    public init(queued: Int, lostEntries: Int, isFailing: Bool, words: String) {
      self.queued = queued
      self.lostEntries = lostEntries
      self.isFailing = isFailing
      self.words = words
    }
  }

  /// How processes are started, and what became of those that were not simply started and ended.
  public struct ProcessFigures: Sendable {
    /// Whether children can be started.
    public var isResponsive: Bool
    /// Children that hang now before they have executed anything, and that no run waits for.
    public var stuckNow: Int
    /// How many of those there have been.
    public var stuck: UInt64
    /// Processes that commands left running and that were released.
    public var released: UInt64
    /// Adopted processes that no run can be proved to own.
    public var strangers: UInt64

    /// The figures; by default of a daemon that has started nothing.
    public init(
      isResponsive: Bool = true, stuckNow: Int = 0, stuck: UInt64 = 0, released: UInt64 = 0,
      strangers: UInt64 = 0
    ) {
      self.isResponsive = isResponsive
      self.stuckNow = stuckNow
      self.stuck = stuck
      self.released = released
      self.strangers = strangers
    }
  }

  /// How often the wake queue has woken.
  public var wakes: UInt64
  /// How many timers that has served.
  public var served: UInt64
  /// Slots decided since the start.
  public var balance: Balance
  /// Nil without a ledger.
  public var ledger: LedgerFigures?
  /// Of processes.
  public var processes: ProcessFigures
  /// Threads that wait for a file system that does not answer.
  public var stuckThreads: Int
  /// How many have been given up since the start.
  public var stuckThreadsTotal: Int

  /// What others count.
  public init(
    wakes: UInt64, served: UInt64, balance: Balance, ledger: LedgerFigures?,
    processes: ProcessFigures, stuckThreads: Int = 0, stuckThreadsTotal: Int = 0
  ) {
    self.stuckThreads = stuckThreads
    self.stuckThreadsTotal = stuckThreadsTotal
    self.wakes = wakes
    self.served = served
    self.balance = balance
    self.ledger = ledger
    self.processes = processes
  }
}
