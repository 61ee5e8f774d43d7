internal import GRDB
import Glibc
import Synchronization
package import TaktCore
import TaktSystem
package import TaktTime

/// A read-only view of the ledger of a state folder, which a running daemon may be using.
///
/// Safe from any thread; blocks while it reads.
package final class LedgerArchive: Sendable {
  package enum Failure: Error, Hashable, Sendable {
    case missing(path: String)
    /// It has no bytes: takt has not written it yet, or its contents are lost.
    case empty(path: String)
    /// It has no tables: takt could not write them when it made the file.
    case unwritten(path: String)
    /// This user may not read it.
    case forbidden(path: String)
    case newer(path: String)
    case unreadable(path: String, reason: String)
  }

  package let path: String
  /// Nil once it is closed: GRDB passes SQLite a null connection after that, which ends the process.
  private let database: Mutex<DatabaseQueue?>

  package init(folder: String) throws(Failure) {
    path = folder + "/" + LedgerFile.name
    let status: FileStatus
    do throws(SystemError) {
      status = try FileStatus(at: path, followsLink: false)
    } catch {
      throw error.number == EACCES ? .forbidden(path: path) : .missing(path: path)
    }
    guard access(path, R_OK) == 0 || errno != EACCES else { throw .forbidden(path: path) }
    for suffix in LedgerFile.suffixes { try Self.requireFile(path + suffix) }
    guard status.sizeBytes > 0 else { throw .empty(path: path) }
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(5)
    do {
      let database = try DatabaseQueue(path: path, configuration: configuration)
      guard try !database.read(LedgerSchema.migrator.hasBeenSuperseded) else {
        throw Failure.newer(path: path)
      }
      guard try !database.read(LedgerSchema.migrator.appliedIdentifiers).isEmpty else {
        throw Failure.unwritten(path: path)
      }
      self.database = Mutex(database)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw .unreadable(path: path, reason: LedgerFailure.text(of: error))
    }
  }

  /// SQLite opens this by its path: it would wait at a FIFO, and create files next to a link's
  /// target.
  private static func requireFile(_ path: String) throws(Failure) {
    guard let status = try? FileStatus(at: path, followsLink: false), status.type != .file else {
      return
    }
    throw .unreadable(
      path: path,
      reason: status.type == .link ? "it is a symbolic link" : "it is not a regular file")
  }

  func releaseMemory() { database.withLock { $0?.releaseMemory() } }

  /// Closes the file after reads in progress; nothing can be read from then on.
  package func close() {
    database.withLock { database in
      try? database?.close()
      database = nil
    }
  }

  /// The progress of the jobs, as a daemon that starts now would find it.
  ///
  /// - Parameters:
  ///   - job: one job; nil for all.
  ///   - boot: identifies this boot of the machine.
  package func previous(
    of job: JobName? = nil, boot: String, zones: any ZoneSource
  ) throws(Failure) -> PreviousState {
    try read { try LedgerReading(db: $0, boot: boot, zones: zones).previous(of: job) }
  }

  /// Reads, and puts failures in plain words.
  func read<Value: Sendable>(_ body: (Database) throws -> Value) throws(Failure) -> Value {
    do {
      // One thread at a time, as the database's own queue has it.
      return try database.withLock { database in
        guard let database else { throw Failure.unreadable(path: path, reason: "it is closed") }
        return try database.read(body)
      }
    } catch let failure as Failure {
      throw failure
    } catch {
      throw .unreadable(path: path, reason: LedgerFailure.text(of: error))
    }
  }
}

extension LedgerArchive {
  /// The newest first.
  package func runs(_ query: RunQuery) throws(Failure) -> [StoredRun] {
    try read { db in
      var conditions: [String] = []
      var arguments: [(any DatabaseValueConvertible)?] = []
      if let job = query.job {
        // First, so that the index by job finds the newest without visiting others.
        let number = try Int64.fetchOne(
          db, sql: "SELECT id FROM jobs WHERE name = ?", arguments: [job.text])
        conditions.append("runs.job = ?")
        arguments.append(number ?? -1)
      }
      if let before = query.before {
        conditions.append("run < ?")
        arguments.append(Int64(clamping: before.number))
      }
      if query.failedOnly {
        let outcomes = RunQuery.failures.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        conditions.append("outcome IN (\(outcomes))")
      }
      if !query.withHooks { conditions.append("kind <> 'hook'") }
      if let since = query.since {
        conditions.append("coalesce(ended_at, began_at, slot) >= ?")
        arguments.append(since.milliseconds)
      }
      if let until = query.until {
        conditions.append("coalesce(began_at, slot) < ?")
        arguments.append(until.milliseconds)
      }
      let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
      return try Row.fetchAll(
        db, sql: "\(RunRows.selectSQL) \(filter) ORDER BY run DESC LIMIT \(query.limit)",
        arguments: StatementArguments(arguments)
      ).map { try $0.storedRun() }
    }
  }

  /// The slots that a backfill of a job has run successfully, with its newest run.
  ///
  /// - Parameter after: only runs with higher numbers; nil for any.
  package func backfilledSlots(
    of job: JobName, after: RunID? = nil
  ) throws(Failure) -> (slots: [WallInstant], newest: RunID?) {
    try read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT run, slot FROM runs WHERE job = (SELECT id FROM jobs WHERE name = ?) AND run > ?
          AND kind = 'backfill' AND outcome = 'succeeded' ORDER BY run
          """, arguments: [job.text, Int64(clamping: after?.number ?? 0)])
      return (try rows.map { try $0.instant("slot") }, try rows.last?.run("run"))
    }
  }

  /// Nil if there is no run of this number.
  package func run(_ number: RunID) throws(Failure) -> StoredRun? {
    try read { db in
      try Row.fetchOne(
        db, sql: "\(RunRows.selectSQL) WHERE run = ?", arguments: [Int64(clamping: number.number)]
      ).map { try $0.storedRun() }
    }
  }

  /// The kept output of a run's attempts, by their numbers.
  package func outputs(of number: RunID) throws(Failure) -> [StoredOutput] {
    try read { db in
      let run = Int64(clamping: number.number)
      var outputs: [StoredOutput] = []
      // A ledger that no daemon of this version has opened has none of the attempts before the last.
      if try db.tableExists("attempt_outputs") {
        outputs = try Row.fetchAll(
          db,
          sql: """
            SELECT * FROM attempt_outputs WHERE run = ?
            ORDER BY attempt
            """, arguments: [run]
        ).map(Self.output)
      }
      // A hook that never started has no attempt, and no output either.
      let last = try Row.fetchOne(
        db,
        sql: """
          SELECT max(1, coalesce(attempts, 1)) AS attempt, outputs.*
          FROM outputs LEFT JOIN runs USING (run) WHERE run = ?
          """, arguments: [run]
      ).map(Self.output)
      if let last {
        outputs.removeAll { $0.attempt == last.attempt }
        outputs.append(last)
      }
      return outputs
    }
  }

  private static func output(_ row: Row) throws -> StoredOutput {
    StoredOutput(
      attempt: try row.count("attempt"),
      output: KeptOutput(
        head: try row.bytes("head"), tail: try row.bytes("tail"),
        droppedBytes: try row.count("dropped"),
        // A ledger that no daemon of this version has opened has none.
        marks: row.hasColumn("marks") ? OutputMarkText.decode(try row.bytes("marks")) : []))
  }

  /// In order.
  package func jobNames() throws(Failure) -> [String] {
    try read { try String.fetchAll($0, sql: "SELECT name FROM jobs ORDER BY name") }
  }
}

extension LedgerArchive.Failure {
  package var sentence: String {
    switch self {
    case .missing(let path): "there is no ledger at \(path)"
    case .empty(let path):
      "\(path) is empty (0 bytes): takt has not written it yet, or could not because the disk is "
        + "full, or what it held is lost; the log of takt says which"
    case .unwritten(let path):
      "\(path) has no tables, because takt could not write them, for example on a full disk; the log "
        + "of takt says why"
    case .forbidden(let path): "\(path) may not be read by this user"
    case .newer(let path): "\(path) was written by a newer version of takt; use that version"
    case .unreadable(let path, let reason): "\(path) cannot be read: \(reason)"
    }
  }
}
