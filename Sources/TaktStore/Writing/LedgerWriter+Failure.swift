internal import GRDB
import Glibc
import TaktCore
import TaktTime

extension LedgerWriter {
  /// A time in which the ledger cannot be written.
  struct Failing {
    var reason: String
    var since: WallInstant
    var count = 0
    /// Whether there is a note of it beside the ledger.
    var hasNote = false
    /// Whether the ledger could not be read at the start: what it holds is not to be taken for what
    /// holds now.
    var isUnread = false
    /// Whether the file that is open takes no writes. SQLite opens one so without a word, and never
    /// writes it again, whatever becomes of its rights.
    var isReadOnly = false
  }

  /// What is written beside a ledger that cannot be, with space that is taken while there is some.
  struct Room {
    /// Nil where there is no space.
    var processes: ProcessReserve?
    var isNoteReserved = false
  }
}

/// What is done when the ledger cannot be written: it is said once, and what is damaged is saved.
extension LedgerWriter {
  /// What the database refuses for another reason than the disk it will refuse for ever.
  static let attemptsMax = 3

  func giveUpEntries() {
    for entry in entries {
      switch entry {
      case .verdict(let record): losses.add(record)
      case .checkpoint(let checkpoint): losses.checkpoints[checkpoint.job] = checkpoint
      default: losses.entryCount += 1
      }
    }
    logMessage(.error, "the ledger rejects entries; entries lost: \(entries.count)")
    entries = []
    // Nobody is told that it is kept.
    waiters = []
  }

  func failed(_ error: any Error) {
    let reason = LedgerFailure.text(of: error)
    let isNew = failure != reason
    var failing = self.failing ?? Failing(reason: reason, since: time.wall)
    failing.reason = reason
    failing.count += 1
    failing.isReadOnly = (error as? DatabaseError)?.resultCode == .SQLITE_READONLY
    self.failing = failing
    if isNew {
      logMessage(
        .error,
        "the ledger cannot be written: \(reason); jobs keep running, and entries stay in memory until it can"
      )
    }
  }

  func recovered(from past: Failing) {
    failing = nil
    let length = DurationText.format(.milliseconds((time.wall - past.since).milliseconds))
    logMessage(
      .notice,
      "the ledger can be written again after \(length); entries from memory are in it")
  }

  /// The file is damaged: what can be read of it is saved.
  func rescue() {
    do {
      try salvage()
      _ = try open()
      onRenewed()
    } catch {
      file = nil
      failed(error)
    }
  }

  func salvage() throws {
    file?.close()
    file = nil
    jobs = JobNumbers()
    let path = folder + "/" + LedgerFile.name
    // Beside it first: what is there is not touched before there is something better.
    let name = LedgerFile.name + ".salvaged"
    LedgerFile.remove(folder + "/" + name)
    let lost: [LedgerSalvage.Loss]
    do {
      let new = try LedgerFile(folder: folder, name: name)
      lost = try LedgerSalvage.copy(from: path, into: new.database)
      try LedgerSalvage.account(lost, in: new.database, zones: zones, at: time.wall)
      new.close()
    } catch {
      LedgerFile.remove(folder + "/" + name)
      throw error
    }
    let aside = "\(path).damaged-\(time.wall.milliseconds)"
    for suffix in ["", "-wal", "-shm"] { rename(path + suffix, aside + suffix) }
    guard rename(folder + "/" + name, path) == 0 else {
      throw DatabaseError(resultCode: .SQLITE_IOERR)
    }
    let what =
      lost.isEmpty ? "nothing was lost" : "lost: \(lost.map(\.what).joined(separator: "; "))"
    logMessage(
      .error, "the ledger was damaged and has been rewritten; \(what); the damaged file is \(aside)"
    )
  }

  func logMessage(_ level: LogLevel, _ message: String) {
    observer.observe(LogRecord(at: time.wall, level, .ledger, [LogField(.message, .text(message))]))
  }
}
