package import TaktCore
package import TaktTime

/// The facts of this daemon that do not change.
package struct DaemonFacts: Sendable {
  package var version: String
  package var pid: Int32
  package var started: WallInstant
  /// The main jobs file: an absolute path.
  package var file: String
  /// The same as somebody gave it, which is how diagnostics name it.
  package var givenFile: String
  /// Where the ledger is; nil without one.
  package var stateFolder: String?
  /// The way to recognize processes of a run, such as `cgroup v2`.
  package var tracking: String

  package init(
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
package struct DaemonFigures: Sendable {
  /// How the ledger stands.
  package struct LedgerFigures: Sendable {
    /// Entries that are not written yet.
    package var queued: Int
    /// Entries that could not be kept.
    package var lostEntries: Int
    /// Whether it cannot be written.
    package var isFailing: Bool
    /// All of it in a sentence.
    package var words: String

    package init(queued: Int, lostEntries: Int, isFailing: Bool, words: String) {
      self.queued = queued
      self.lostEntries = lostEntries
      self.isFailing = isFailing
      self.words = words
    }

    /// Those of a daemon whose state folder could not be written when it started.
    package static func unkept(_ words: String) -> Self {
      Self(queued: 0, lostEntries: 0, isFailing: true, words: words)
    }
  }

  /// How processes are started, and what became of those that were not simply started and ended.
  package struct ProcessFigures: Sendable {
    /// Whether children can be started.
    package var isResponsive: Bool
    /// Children that hang now before they have executed anything, and that no run waits for.
    package var stuckNow: Int
    /// How many of those there have been.
    package var stuck: UInt64
    /// Processes that commands left running and that were released.
    package var released: UInt64
    /// Adopted processes that no run can be proved to own.
    package var unrelated: UInt64

    /// The figures; by default of a daemon that has started nothing.
    package init(
      isResponsive: Bool = true, stuckNow: Int = 0, stuck: UInt64 = 0, released: UInt64 = 0,
      unrelated: UInt64 = 0
    ) {
      self.isResponsive = isResponsive
      self.stuckNow = stuckNow
      self.stuck = stuck
      self.released = released
      self.unrelated = unrelated
    }
  }

  /// How often the wake queue has woken.
  package var wakes: UInt64
  /// How many timers that has served.
  package var served: UInt64
  /// Slots decided since the start.
  package var verdictCounts: VerdictCounts
  /// Nil where there is to be no ledger.
  package var ledger: LedgerFigures?
  package var processes: ProcessFigures
  /// Threads that wait for a file system that does not answer.
  package var stuckThreads: Int
  /// How many have been given up since the start.
  package var stuckThreadsTotal: Int

  package init(
    wakes: UInt64, served: UInt64, verdictCounts: VerdictCounts, ledger: LedgerFigures?,
    processes: ProcessFigures, stuckThreads: Int = 0, stuckThreadsTotal: Int = 0
  ) {
    self.stuckThreads = stuckThreads
    self.stuckThreadsTotal = stuckThreadsTotal
    self.wakes = wakes
    self.served = served
    self.verdictCounts = verdictCounts
    self.ledger = ledger
    self.processes = processes
  }
}
