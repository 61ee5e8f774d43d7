internal import GRDB
import Glibc
import TaktCore
import TaktTime

extension LedgerWriter {
  /// A period in which the ledger cannot be written.
  struct Failing {
    var reason: String
    var since: WallInstant
    var count = 0
    /// True if there is a note of it next to the ledger.
    var hasNote = false
    /// True if the ledger could not be read at the start: its contents must not be taken for the
    /// present state.
    var isUnread = false
    /// True if the open file takes no writes. SQLite opens one so silently, and never writes it
    /// again, even if its rights change.
    var isReadOnly = false
  }

  /// The files written in place of a ledger that cannot be, with space that is reserved while there
  /// is some.
  struct Room {
    /// Nil if there is no space.
    var processes: ProcessReserve?
    var isNoteReserved = false
  }
}

/// The reaction to a ledger that cannot be written: it is logged once, and a damaged file is
/// salvaged.
extension LedgerWriter {
  /// After this many refusals for another reason than the disk, the database will refuse
  /// permanently.
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
    // They are not notified that it is kept.
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

  /// Salvages a damaged file.
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
    // Next to it first: the files are not touched before there is something better.
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
