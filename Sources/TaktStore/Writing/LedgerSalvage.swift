internal import GRDB
import Glibc
import TaktCore
import TaktTime

/// Saves the readable part of a damaged ledger.
struct LedgerSalvage {
  /// A loss, described for people.
  struct Loss {
    var what: String
    var count: Int64
  }

  private static let rowTables = [
    "jobs", "schedules", "verdicts", "runs", "outputs", "daemons", "clock_steps", "reloads",
    "losses", "attempt_outputs", "once",
  ]
  private static let keyedTables = ["pending", "attempts", "services", "unreported", "meta"]

  /// Moves the damaged file aside and copies its readable rows into `new`, which must be empty.
  /// Returns the losses.
  static func copy(from damaged: String, into new: DatabaseQueue) throws -> [Loss] {
    var configuration = Configuration()
    configuration.readonly = true
    guard let old = try? DatabaseQueue(path: damaged, configuration: configuration) else {
      return [Loss(what: "everything; the file is no longer a database", count: 0)]
    }
    var losses: [Loss] = []
    // A ledger of an earlier version does not have all of them.
    func isThere(_ table: String) -> Bool { (try? old.read { try $0.tableExists(table) }) != false }
    for table in rowTables where isThere(table) {
      losses += try copyRows(of: table, from: old, into: new)
    }
    for table in keyedTables where isThere(table) {
      losses += try copyAll(of: table, from: old, into: new)
    }
    let columns = try? old.read { db in try db.columns(in: "runs").map(\.name) }
    if columns?.contains("reason_number") == false {
      try new.write { try LedgerSchema.splitReasons($0) }
    }
    return losses
  }

  /// Records the losses. Verdicts of slots that ran are made again from their runs; for the others
  /// that are missing, each job gets an exact account.
  static func account(
    _ losses: [Loss], in new: DatabaseQueue, zones: any ZoneSource, at now: WallInstant
  ) throws {
    guard !losses.isEmpty else { return }
    try new.write { db in
      // Rows of a job that is lost are not to become another job's.
      for table in ["schedules", "verdicts", "runs", "pending"] {
        try db.execute(
          sql: """
            INSERT INTO jobs (id, name) SELECT DISTINCT job, 'lost.' || job FROM \(table)
            WHERE job NOT IN (SELECT id FROM jobs)
            """)
      }
      for loss in losses {
        try db.execute(
          sql: "INSERT INTO losses (at, count, what, reason) VALUES (?, ?, ?, 'damaged')",
          arguments: [now.milliseconds, loss.count, loss.what])
      }
      try db.execute(
        sql: """
          INSERT INTO verdicts (job, first, last, count, verdict, run, at)
          SELECT job, slot, slot, 1, 'ran', run, began_at FROM runs
          WHERE kind = 'slot' AND began_at IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM verdicts WHERE verdicts.job = runs.job AND first = slot)
          """)
      for finding in try LedgerAudit(db: db, since: nil, zones: zones).report().findings
      where finding.kind == .missing {
        try db.execute(
          sql: """
            INSERT INTO losses (at, job, first, last, count, what, reason)
            SELECT ?, id, ?, ?, ?, 'verdicts', 'damaged' FROM jobs WHERE name = ?
            """,
          arguments: [
            now.milliseconds, finding.slots.first.milliseconds, finding.slots.last.milliseconds,
            finding.slots.count, finding.job.text,
          ])
      }
    }
  }

  /// Reads a table from both ends towards the damaged page.
  private static func copyRows(
    of table: String, from old: DatabaseQueue, into new: DatabaseQueue
  ) throws -> [Loss] {
    var last: Int64?
    let isWhole = try copy(
      "SELECT rowid AS own_rowid, * FROM \(table) ORDER BY rowid", of: table, from: old, into: new
    ) { last = $0 }
    if isWhole { return [] }
    var first: Int64?
    _ = try copy(
      "SELECT rowid AS own_rowid, * FROM \(table) WHERE rowid > \(last ?? .min) ORDER BY rowid DESC",
      of: table, from: old, into: new
    ) { first = $0 }
    guard let first else {
      return [Loss(what: "\(table) from row \((last ?? 0) + 1)", count: 0)]
    }
    let from = (last ?? 0) + 1
    return [Loss(what: "\(table), rows \(from) to \(first - 1)", count: max(0, first - from))]
  }

  private static func copyAll(
    of table: String, from old: DatabaseQueue, into new: DatabaseQueue
  ) throws -> [Loss] {
    let isWhole = try copy("SELECT * FROM \(table)", of: table, from: old, into: new) { _ in }
    return isWhole ? [] : [Loss(what: "\(table), some rows", count: 0)]
  }

  /// Copies rows until one cannot be read; true if all could.
  private static func copy(
    _ sql: String, of table: String, from old: DatabaseQueue, into new: DatabaseQueue,
    _ seen: (Int64) -> Void
  ) throws -> Bool {
    var isWhole = true
    try new.inTransaction { target in
      do {
        try old.read { source in
          let rows = try Row.fetchCursor(source, sql: sql)
          while let row = try rows.next() {
            if let number = row["own_rowid"] as Int64? { seen(number) }
            let names = row.columnNames.filter { $0 != "own_rowid" }
            let checkpoints = names.map { _ in "?" }.joined(separator: ", ")
            let statement = try target.cachedStatement(
              sql: "INSERT OR IGNORE INTO \(table) (\(names.joined(separator: ", "))) "
                + "VALUES (\(checkpoints))")
            statement.setUncheckedArguments(
              StatementArguments(names.map { row[$0] as DatabaseValue }))
            do { try statement.execute() } catch { throw TargetFailure(error: error) }
          }
        }
      } catch let failure as TargetFailure {
        throw failure.error
      } catch {
        isWhole = false
      }
      return .commit
    }
    return isWhole
  }

  /// The new file cannot be written: no row is given up for that.
  private struct TargetFailure: Error { var error: any Error }
}
