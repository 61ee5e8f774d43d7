internal import GRDB
package import TaktCore
package import TaktTime

/// The writer: it has the file, holds entries that could not be written, and retries. For the
/// ledger's queue only.
package final class LedgerWriter {
  let lock: StateFolderLock
  var folder: String { lock.folder }
  let writer: SQLiteLedger.Writer
  let zones: any ZoneSource
  let observer: any Observer
  let time: any TimeSource
  let onRenewed: @Sendable () -> Void

  var file: LedgerFile?
  /// Nil until this daemon could be entered.
  var daemon: Int64?
  var enlistedFolder: StateDirectory.Identity?
  /// Daemons whose leftover processes have been searched for; still to be recorded.
  private var settled: [Int64] = []
  /// Nil until the traces of previous daemons have been searched for.
  private var room: Room?
  var jobs = JobNumbers()
  private var pendingJobs: Set<JobName> = []
  private var retention: LedgerRetention

  /// The previous daemon's note, until it is recorded.
  var noted: NotedLoss?
  /// The reason why the ledger's contents are lost, until that is recorded.
  var emptied: String?
  private var isClosed = false
  /// The end of new entries: no slot is decided from then on.
  var end: Now?

  /// Entries to be written, and the callers that wait for them.
  var entries: [LedgerEntry] = []
  var waiters: [SQLiteLedger.Waiter] = []
  /// Callers whose entries are written, until they are notified.
  var finished: [SQLiteLedger.Waiter] = []
  var losses = LedgerLosses()

  /// Nil while it can be written.
  var failing: Failing? { didSet { onFailure(failure) } }
  /// Nil while it can be written.
  package var failure: String? { failing?.reason }
  /// Called with each change of it, before the log has a line about it.
  var onFailure: (String?) -> Void = { _ in }
  private var hasUpkeep = true
  /// The time to check the whole file for damage that no query has met.
  private var nextCheck: MonotonicInstant
  let startedAt: WallInstant
  private static let checkPause = Duration.seconds(86_400)

  package init(
    lock: StateFolderLock, writer: SQLiteLedger.Writer, history: History,
    checkAfter: Duration, zones: any ZoneSource, observer: any Observer, time: any TimeSource,
    onRenewed: @escaping @Sendable () -> Void
  ) {
    self.lock = lock
    self.writer = writer
    self.zones = zones
    self.observer = observer
    self.time = time
    self.onRenewed = onRenewed
    startedAt = time.wall
    nextCheck = time.monotonic + checkAfter
    retention = LedgerRetention(history: history, startingAt: time.monotonic)
  }

  func open() throws -> LedgerFindings {
    let file = try LedgerFile(folder: folder)
    let identity = lock.identity
    var findings = try file.database.read { db in
      try LedgerFindings(
        LedgerReading(db: db, boot: writer.boot, zones: zones), in: identity)
    }
    noted?.apply(to: &findings.previous, boot: writer.boot)
    if findings.badRows > 0 {
      logMessage(.error, "invalid rows in the ledger, ignored: \(findings.badRows)")
    }
    pendingJobs = try file.database.read { db in
      Set(
        try String.fetchAll(
          db, sql: "SELECT DISTINCT name FROM pending JOIN jobs ON jobs.id = pending.job"
        ).compactMap(JobName.init))
    }
    jobs = JobNumbers()
    self.file = file
    daemon = nil
    // The readable part is used, even while nothing can be written.
    do { try enlist(in: file) } catch { failed(error) }
    return findings
  }

  package func write(_ entries: [LedgerEntry], _ waiters: [SQLiteLedger.Waiter]) {
    if self.entries.isEmpty {
      self.entries = entries
    } else {
      self.entries += entries
    }
    self.waiters += waiters
  }

  /// The leftover processes of these daemons have been searched for: all that exist.
  func settle(_ daemons: [Int64]) {
    settled += daemons
    room = room ?? Room()
    takeRoom()
  }

  func takeRoom() {
    guard room != nil else { return }
    let room = Room(
      processes: ProcessReserve(in: lock.directory, of: writer),
      isNoteReserved: noted == nil && LossNote.reserve(in: lock.directory))
    self.room = room
    // A failure that keeps the ledger from being written is logged separately.
    guard failure == nil else { return }
    if !room.isNoteReserved {
      logMessage(
        .warning,
        "takt cannot reserve space in the file \(folder)/\(LossNote.name): if takt ends while the disk "
          + "is full, the next daemon does not know how much is missing in the ledger")
    }
    if room.processes == nil, writer.startTicks != nil {
      logMessage(
        .warning,
        "takt cannot reserve space in the file \(folder)/\(ProcessReserve.name): if takt is killed while "
          + "the disk is full, the next daemon does not end the processes that started meanwhile")
    }
  }

  /// Notes next to the ledger what only the waiting entries record: their processes, and their
  /// existence.
  func noteEntries() {
    room?.processes?.write(ProcessReserve.processes(in: entries))
    guard failing != nil else { return }
    failing?.hasNote = true
    note(of: entries.count + losses.entryCount).added(to: noted?.note).write(in: lock.directory)
  }

  private func note(of count: Int) -> LossNote {
    let now = end ?? time.now
    return LossNote(
      entryCount: count, until: now.wall, monotonic: now.monotonic, boot: writer.boot,
      lastRun: ProcessReserve.lastRun(in: entries))
  }

  /// Once it is closed the file is not opened again, even if the alarm rings once more.
  var hasWork: Bool {
    !isClosed
      && (!entries.isEmpty || !waiters.isEmpty || !losses.isEmpty || !settled.isEmpty || hasUpkeep)
  }

  var retryDelay: Duration? {
    .milliseconds(500) * (1 << min(5, (failing?.count ?? 1) - 1))
  }

  /// The time until the next piece of upkeep; nil if there is nothing to do before new entries
  /// come.
  var upkeepDelay: Duration? { hasUpkeep ? .milliseconds(50) : nil }

  /// Writes all that waits, in one transaction; true on success.
  ///
  /// - Parameter lost: hands over the entries that could not be taken meanwhile.
  package func write(taking lost: () -> LedgerLosses) -> Bool {
    do {
      let file = try readyFile()
      // Only once something can be written again: until then it is counted at its source.
      if failure != nil || !losses.isEmpty { try probe(file) }
      losses.merge(lost())
      // A caller may have come after the entries that it waits for.
      if !entries.isEmpty || !losses.isEmpty || !waiters.isEmpty || !settled.isEmpty {
        try write(to: file)
      }
      finished += waiters
      entries = []
      settled = []
      waiters = []
      losses = LedgerLosses()
      if let failing {
        recovered(from: failing)
        if room?.processes == nil || room?.isNoteReserved != true { takeRoom() }
        noteEntries()
        if failing.hasNote { LossNote.clear(in: lock.directory) }
      }
      maintain(file)
      return true
    } catch {
      failed(error)
      noteEntries()
      guard let error = error as? DatabaseError else { return false }
      if error.isDamage { rescue() }
      if !error.isOfDisk, let failing, failing.count >= Self.attemptsMax { giveUpEntries() }
      return false
    }
  }

  /// The file, opened if it is not yet, and restored if it was removed.
  private func readyFile() throws -> LedgerFile {
    try lock.ensure()
    if let open = file, !open.isInPlace {
      try open.restore()
      open.close()
      file = nil
      logMessage(
        .error, "the ledger was deleted while it was open, and has been restored")
      file = try LedgerFile(folder: folder)
    }
    if failing?.isReadOnly == true, let open = file {
      open.close()
      file = nil
      file = try LedgerFile(folder: folder)
    }
    if file == nil { _ = try open() }
    guard let file else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
    if failing?.isUnread == true {
      try file.database.write { db in try abandonUnread(db) }
      failing?.isUnread = false
      onRenewed()
    }
    try enlist(in: file)
    return file
  }

  /// Checks that a transaction is possible at all.
  private func probe(_ file: LedgerFile) throws {
    try file.database.writeWithoutTransaction { db in
      if db.isInsideTransaction { try db.rollback() }
    }
    try file.database.inTransaction(.immediate) { db in
      try db.execute(
        sql: "UPDATE daemons SET seen_at = ? WHERE id = ?",
        arguments: [time.wall.milliseconds, daemon])
      return .commit
    }
  }

  private func write(to file: LedgerFile) throws {
    let checkpoints = losses.checkpoints.values.map { LedgerEntry.checkpoint($0) }
    let batch = LedgerBatch(checkpoints.isEmpty ? entries : entries + checkpoints)
    let isAwaited = !waiters.isEmpty
    let now = time.wall
    try file.database.writeWithoutTransaction { db in
      // Entries that a caller waits for must survive a loss of power as well.
      if isAwaited { try db.execute(sql: "PRAGMA synchronous = FULL") }
      defer { if isAwaited { try? db.execute(sql: "PRAGMA synchronous = NORMAL") } }
      var transaction = LedgerTransaction(
        db: db, statements: file.statements, daemon: daemon ?? 0, known: jobs,
        pendingJobs: pendingJobs)
      try db.inTransaction(.immediate) {
        try transaction.write(batch, at: now)
        try transaction.write(losses, reason: failure ?? "too many entries at once", at: now)
        try transaction.settle(settled, at: now)
        return .commit
      }
      jobs.learn(transaction.learned)
      pendingJobs.formUnion(transaction.newPendingJobs)
    }
    if batch.entries.count >= Self.largeBatch { file.releaseMemory() }
  }

  /// This many entries come together when many jobs are loaded, and seldom again.
  private static let largeBatch = 5_000

  private func maintain(_ file: LedgerFile) {
    if time.monotonic >= nextCheck {
      nextCheck = time.monotonic + Self.checkPause
      let check = try? file.database.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
      if let check, check != "ok" {
        failed(DatabaseError(resultCode: .SQLITE_CORRUPT, message: check))
        return rescue()
      }
    }
    do {
      hasUpkeep = try retention.step(file.database, at: time.now)
    } catch {
      // It can wait: the next write shows if something is wrong.
      hasUpkeep = false
    }
  }

  package func close() {
    isClosed = true
    if failure == nil, let file {
      let now = time.wall.milliseconds
      try? file.database.write { db in
        try db.execute(
          sql: "UPDATE daemons SET down_at = ?, seen_at = ? WHERE id = ?",
          arguments: [now, now, daemon])
      }
    }
    file?.close()
    file = nil
  }

  /// The note exists if the disk has answered.
  func logLost(_ count: Int) {
    logMessage(.error, "the ledger could not be written while takt stopped; entries lost: \(count)")
  }

  /// Leaves a note if writing has not returned. Called outside the ledger's queue, which is stuck:
  /// reads only constants.
  func noteStuck(_ count: Int) {
    let now = time.now
    LossNote(
      entryCount: count, until: now.wall, monotonic: now.monotonic, boot: writer.boot
    ).write(in: lock.directory)
  }
}
