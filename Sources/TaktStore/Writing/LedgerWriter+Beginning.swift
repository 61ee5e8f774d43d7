internal import GRDB
import Glibc
import TaktCore
import TaktSystem
import TaktTime

/// The start of a daemon's work with its ledger: it reads what previous daemons have left, and
/// enters itself.
extension LedgerWriter {
  /// Opens the file and reads it. A file that cannot be read now is tried again with each write.
  package func begin() throws(LedgerOpenFailure) -> LedgerFindings {
    readTraces()
    var findings = try beginLedger()
    if let daemon = ProcessReserve.read(in: lock.directory, boot: writer.boot) {
      findings.add(daemon)
    }
    return findings
  }

  /// Reads the traces of previous daemons next to the ledger.
  private func readTraces() {
    let directory = lock.directory
    if let note = try? LossNote(in: directory) {
      noted = NotedLoss(note, at: startedAt)
      let count = note.entryCount.map { "\($0)" } ?? "an unknown number of"
      logMessage(
        .error,
        "a previous daemon could not write the ledger when it ended: \(count) entries are lost; "
          + "slots of before \(note.until.rfc3339()) without a verdict are recorded as lost")
    }
    let path = folder + "/" + LedgerFile.name
    let status = directory.status(of: LedgerFile.name)
    guard status.map({ $0.sizeBytes == 0 }) ?? true else { return }
    let what = status == nil ? "is missing" : "is empty (0 bytes)"
    guard directory.hasBeenUsed else {
      if status != nil {
        logMessage(
          .notice,
          "the ledger \(path) \(what), as an interrupted first start leaves it; takt starts a new one"
        )
      }
      return
    }
    emptied = "the ledger \(status == nil ? "was missing" : "was empty") at a start"
    // SQLite would delete it, and its contents may be all that is left.
    let aside = "\(LedgerFile.name).damaged-\(time.wall.milliseconds)-wal"
    let log = LedgerFile.name + "-wal"
    let isKept =
      directory.status(of: log).map { $0.sizeBytes > 0 } == true
      && renameat(directory.descriptor, log, directory.descriptor, aside) == 0
    logMessage(
      .error,
      "the ledger \(path) \(what), although a daemon has used this state folder: its history, "
        + "positions and suspensions are lost, and takt starts a new one"
        + (isKept ? "; its write-ahead log is \(folder)/\(aside)" : ""))
  }

  private func beginLedger() throws(LedgerOpenFailure) -> LedgerFindings {
    do {
      return try openRetrying()
    } catch LedgerFile.Failure.newer {
      throw .newer(path: folder + "/" + LedgerFile.name)
    } catch let problem as StateFolderProblem {
      throw .refused(problem)
    } catch let error as DatabaseError where error.isDamage {
      do {
        try salvage()
        return try open()
      } catch {
        return beginUnread(error)
      }
    } catch {
      return beginUnread(error)
    }
  }

  /// Another process may have it locked for a moment, such as a backup.
  private func openRetrying() throws -> LedgerFindings {
    for _ in 0..<2 {
      do {
        return try open()
      } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
        continue
      }
    }
    return try open()
  }

  private func beginUnread(_ error: any Error) -> LedgerFindings {
    file = nil
    failed(error)
    failing?.isUnread = true
    var findings = LedgerFindings()
    findings.previous.isUnread = true
    // Numbers that no run in the ledger can have.
    findings.previous.lastRun = UInt64(max(0, time.wall.milliseconds)) * 1000
    return findings
  }

  /// Enters this daemon in the ledger, once.
  func enlist(in file: LedgerFile) throws {
    let folder = lock.identity
    guard daemon == nil || folder != enlistedFolder else { return try recordTraces(in: file) }
    let now = time.wall.milliseconds
    if let daemon {
      // The folder was removed while it was in use, and has been made again.
      try file.database.write { db in
        try db.execute(
          sql: "UPDATE daemons SET folder_device = ?, folder_inode = ? WHERE id = ?",
          arguments: [folder.device, folder.inode, daemon])
      }
      enlistedFolder = folder
      takeRoom()
      return
    }
    daemon = try file.database.write { db in
      // No later daemon searches for these again.
      try db.execute(
        sql: """
          DELETE FROM services WHERE daemon NOT IN (
            SELECT id FROM daemons WHERE settled_at IS NULL AND boot = ?)
          """, arguments: [writer.boot])
      try db.execute(
        sql: """
          INSERT INTO daemons (pid, instance, boot, version, file, up_at, seen_at, start_ticks,
            pid_space, folder_device, folder_inode)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          getpid(), writer.instance, writer.boot, writer.version, writer.file, now, now,
          writer.startTicks.map { Int64(clamping: $0) }, writer.pidSpace, folder.device,
          folder.inode,
        ])
      return db.lastInsertedRowID
    }
    enlistedFolder = folder
    try recordTraces(in: file)
  }

  private func recordTraces(in file: LedgerFile) throws {
    if let emptied {
      try file.database.write { db in
        try db.execute(
          sql: "INSERT INTO losses (at, last, count, what, reason) VALUES (?, ?, 0, 'verdicts', ?)",
          arguments: [startedAt.milliseconds, startedAt.milliseconds, emptied])
      }
      self.emptied = nil
    }
    guard let noted else { return }
    try file.database.write { db in try noted.record(in: db) }
    self.noted = nil
    LossNote.clear(in: lock.directory)
  }
}
