internal import GRDB
import Glibc
package import TaktCore
import TaktSystem
package import TaktTime

/// The one who writes: it has the file, holds what could not be written, and tries again. It lives
/// on the ledger's queue.
package final class LedgerWriter {
  let lock: StateFolderLock
  var folder: String { lock.folder }
  private let writer: SQLiteLedger.Writer
  let zones: any ZoneSource
  let observer: any Observer
  let time: any TimeSource
  let onRenewed: @Sendable () -> Void

  var file: LedgerFile?
  /// Nil as long as this life of takt could not be entered.
  private var daemon: Int64?
  /// The state folder that the daemon's row names.
  private var enlistedFolder: StateDirectory.Identity?
  /// Daemons whose leftover processes have been searched for, which is still to be written.
  private var settled: [Int64] = []
  /// Nil where there is no room, and until what previous daemons have left has been searched for.
  private var reserve: ProcessReserve?
  private var isSearched = false
  private var isNoteReserved = false
  var jobs = JobNumbers()
  private var pendingJobs: Set<JobName> = []
  private var retention: LedgerRetention

  /// What the previous daemon has left a note of, until it is recorded.
  private var noted: NotedLoss?
  /// Whether this daemon has a note beside the ledger.
  private var hasNote = false
  /// Why what the ledger held is lost, until that is recorded.
  private var emptied: String?
  private var isClosed = false
  /// Since when nothing new comes: no slot is decided from then on.
  var end: Now?

  /// What waits to be written, and who waits for it.
  var entries: [LedgerEntry] = []
  var waiters: [SQLiteLedger.Waiter] = []
  /// Those whose entries are written, until they are told.
  var finished: [SQLiteLedger.Waiter] = []
  var losses = LedgerLosses()
  /// Set at the start when the ledger could not be read: what it holds is not to be taken for what
  /// holds now.
  private var isUnread = false

  /// Why it cannot be written; nil while it can.
  package var failure: String? { didSet { onFailure(failure) } }
  /// Called with each change of it, before the log has a line about it.
  var onFailure: (String?) -> Void = { _ in }
  var failureCount = 0
  var failedSince: WallInstant?
  private var hasUpkeep = true
  /// When the whole file is looked through for damage that nobody has met.
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

  // MARK: Beginning

  /// Opens the file and reads what is there. A file that cannot be read now is tried again with each
  /// write.
  package func begin() throws(LedgerOpenFailure) -> LedgerFindings {
    readTraces()
    var findings = try beginLedger()
    if let daemon = ProcessReserve.read(in: lock.directory, boot: writer.boot) {
      findings.add(daemon)
    }
    return findings
  }

  /// What the folder says of previous daemons beside the ledger.
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
    // SQLite would delete it: what it holds may be all that is left.
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
    isUnread = true
    file = nil
    failed(error)
    var findings = LedgerFindings()
    findings.previous.isUnread = true
    // Numbers that no run in the ledger can have.
    findings.previous.lastRun = UInt64(max(0, time.wall.milliseconds)) * 1000
    return findings
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
    // What can be read is gone on with, even while nothing can be written.
    do { try enlist(in: file) } catch { failed(error) }
    return findings
  }

  /// Enters this life of takt in the ledger, once.
  private func enlist(in file: LedgerFile) throws {
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
      takeReserve()
      return
    }
    daemon = try file.database.write { db in
      // Nobody searches for these again.
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

  /// Records what `readTraces` has found.
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

  // MARK: Writing

  package func write(_ entries: [LedgerEntry], _ waiters: [SQLiteLedger.Waiter]) {
    if self.entries.isEmpty {
      self.entries = entries
    } else {
      self.entries += entries
    }
    self.waiters += waiters
  }

  /// The leftover processes of these daemons have been searched for: all that there are.
  func settle(_ daemons: [Int64]) {
    settled += daemons
    isSearched = true
    takeReserve()
  }

  private func takeReserve() {
    guard isSearched else { return }
    reserve = ProcessReserve(in: lock.directory, of: writer)
    // What keeps the ledger from being written is said by itself.
    isNoteReserved = noted == nil && LossNote.reserve(in: lock.directory)
    if !isNoteReserved, failure == nil {
      logMessage(
        .warning,
        "takt cannot reserve space in the file \(folder)/\(LossNote.name): if takt ends while the disk "
          + "is full, the next daemon does not know how much is missing in the ledger")
    }
    if reserve == nil, writer.startTicks != nil, failure == nil {
      logMessage(
        .warning,
        "takt cannot reserve space in the file \(folder)/\(ProcessReserve.name): if takt is killed while "
          + "the disk is full, the next daemon does not end the processes that started meanwhile")
    }
  }

  /// Notes beside the ledger what only the entries that wait tell: their processes, and that they
  /// are.
  func noteEntries() {
    reserve?.write(ProcessReserve.processes(in: entries))
    if failure != nil {
      hasNote = true
      note(of: entries.count + losses.entryCount).added(to: noted?.note).write(in: lock.directory)
    } else if hasNote {
      hasNote = false
      LossNote.clear(in: lock.directory)
    }
  }

  /// That so many entries are not in the ledger.
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
    .milliseconds(500) * (1 << min(5, failureCount - 1))
  }

  /// When the next piece of upkeep is due; nil when there is nothing to do before new entries come.
  var upkeepDelay: Duration? { hasUpkeep ? .milliseconds(50) : nil }

  /// Writes all that waits, in one transaction; whether that could be done.
  ///
  /// - Parameter lost: takes what could not be taken meanwhile.
  package func write(taking lost: () -> LedgerLosses) -> Bool {
    do {
      let file = try readyFile()
      // Only when something can be written again: until then it is counted where it arises.
      if failure != nil || !losses.isEmpty { try probe(file) }
      merge(lost())
      // Who waits may have come after the entries that it waits for.
      if !entries.isEmpty || !losses.isEmpty || !waiters.isEmpty || !settled.isEmpty {
        try write(to: file)
      }
      finished += waiters
      entries = []
      settled = []
      waiters = []
      losses = LedgerLosses()
      if failure != nil {
        recovered()
        if reserve == nil || !isNoteReserved { takeReserve() }
        noteEntries()
      }
      maintain(file)
      return true
    } catch {
      failed(error)
      noteEntries()
      guard let error = error as? DatabaseError else { return false }
      if error.isDamage { rescue() }
      if !error.isOfDisk, failureCount >= Self.attemptsMax { giveUpEntries() }
      return false
    }
  }

  private func merge(_ lost: LedgerLosses) {
    losses.checkpoints.merge(lost.checkpoints) { $1 }
    losses.entryCount += lost.entryCount
    for (job, loss) in lost.slots {
      if let known = losses.slots[job] {
        losses.slots[job] = RecordLoss(
          first: min(known.first, loss.first), last: max(known.last, loss.last),
          count: known.count + loss.count)
      } else {
        losses.slots[job] = loss
      }
    }
  }

  /// The file, opened where it is not yet, and put back where somebody has taken it away.
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
    if file == nil { _ = try open() }
    guard let file else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN) }
    if isUnread {
      try file.database.write { db in try abandonUnread(db) }
      isUnread = false
      onRenewed()
    }
    try enlist(in: file)
    return file
  }

  /// Whether a transaction can be had at all.
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
      // What somebody waits for is to outlast a loss of power as well.
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

  /// So many entries come together when many jobs are loaded, and seldom again.
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
      // It has time: the next write tells whether something is wrong.
      hasUpkeep = false
    }
  }

  // MARK: The end

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

  /// Says it in the log. The note is there where the disk has answered.
  func logLost(_ count: Int) {
    logMessage(.error, "the ledger could not be written while takt stopped; entries lost: \(count)")
  }

  /// Leaves a note where writing has not come back. Used beside the ledger's queue, which is stuck:
  /// reads what never changes.
  func noteStuck(_ count: Int) {
    let now = time.now
    LossNote(
      entryCount: count, until: now.wall, monotonic: now.monotonic, boot: writer.boot
    ).write(in: lock.directory)
  }
}
