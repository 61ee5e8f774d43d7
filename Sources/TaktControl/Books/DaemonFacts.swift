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

  /// What holds of this takt.
  public init(
    version: String, pid: Int32, started: WallInstant, file: String, givenFile: String,
    stateFolder: String?
  ) {
    self.version = version
    self.pid = pid
    self.started = started
    self.file = file
    self.givenFile = givenFile
    self.stateFolder = stateFolder
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

  /// How often the wake queue has woken.
  public var wakes: UInt64
  /// How many timers that has served.
  public var served: UInt64
  /// Slots decided since the start.
  public var balance: Balance
  /// Nil without a ledger.
  public var ledger: LedgerFigures?
  /// Threads that wait for a file system that does not answer.
  public var stuckThreads: Int
  /// How many have been given up since the start.
  public var stuckThreadsTotal: Int

  /// What others count.
  public init(
    wakes: UInt64, served: UInt64, balance: Balance, ledger: LedgerFigures?,
    stuckThreads: Int = 0, stuckThreadsTotal: Int = 0
  ) {
    self.stuckThreads = stuckThreads
    self.stuckThreadsTotal = stuckThreadsTotal
    self.wakes = wakes
    self.served = served
    self.balance = balance
    self.ledger = ledger
  }
}
