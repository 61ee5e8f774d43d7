package import TaktCore
package import TaktTime

/// The facts of this daemon that do not change.
package struct DaemonFacts: Sendable {
  package var version: String
  package var pid: Int32
  package var started: WallInstant
  /// The absolute path of the main jobs file.
  package var file: String
  /// The path as it was given, which diagnostics use.
  package var givenFile: String
  /// The folder of the ledger; nil without one.
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

/// Figures that other parts count.
package struct DaemonFigures: Sendable {
  package struct LedgerFigures: Sendable {
    /// Entries that are not written yet.
    package var queued: Int
    /// Entries that could not be written.
    package var lostEntries: Int
    /// True if it cannot be written.
    package var isFailing: Bool
    /// The whole state in a sentence.
    package var words: String

    package init(queued: Int, lostEntries: Int, isFailing: Bool, words: String) {
      self.queued = queued
      self.lostEntries = lostEntries
      self.isFailing = isFailing
      self.words = words
    }

    /// For a daemon whose state folder could not be written at its start.
    package static func unkept(_ words: String) -> Self {
      Self(queued: 0, lostEntries: 0, isFailing: true, words: words)
    }
  }

  /// Figures on starting processes, and on processes that did not simply start and end.
  package struct ProcessFigures: Sendable {
    /// True if children can be started.
    package var isResponsive: Bool
    /// Children that hang now before executing anything, and for which no run waits.
    package var stuckNow: Int
    /// The number of such children since the start.
    package var stuck: UInt64
    /// Processes that commands left running and that were released.
    package var released: UInt64
    /// Adopted processes that cannot be proved to belong to a run.
    package var unrelated: UInt64

    /// By default, those of a daemon that has started nothing.
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

  /// The wake-ups of the wake queue.
  package var wakes: UInt64
  /// The timers that it has served.
  package var served: UInt64
  /// Slots decided since the start.
  package var verdictCounts: VerdictCounts
  /// Nil if the settings ask for no ledger.
  package var ledger: LedgerFigures?
  package var processes: ProcessFigures
  /// Threads that wait for a file system that does not answer.
  package var stuckThreads: Int
  /// Those abandoned since the start.
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
