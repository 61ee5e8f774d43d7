internal import GRDB
import Glibc
import TaktCore
import TaktTime

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
    let text = LedgerFailure.text(of: error)
    failureCount += 1
    let isNew = failure != text
    failure = text
    if isNew {
      logMessage(
        .error,
        "the ledger cannot be written: \(text); jobs keep running, and entries stay in memory until it can"
      )
    }
    if failedSince == nil { failedSince = time.wall }
  }

  func recovered() {
    let since = failedSince.map {
      DurationText.format(.milliseconds((time.wall - $0).milliseconds))
    }
    failure = nil
    failureCount = 0
    failedSince = nil
    logMessage(
      .notice,
      "the ledger can be written again after \(since ?? "a while"); entries from memory are in it")
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
