internal import GRDB
import TaktCore
import TaktTime

/// Gives away what is older, more or larger than the ledger is to keep: a little at a time, so that
/// no write waits long for it.
struct LedgerRetention {
  private static let rowsAtOnce = 2000
  private static let pagesAtOnce = 256
  /// How long after a round the next one begins.
  private static let pause = Duration.seconds(600)
  /// A takt that starts has other things to do.
  private static let firstPause = Duration.seconds(30)

  private let history: History
  private var next: MonotonicInstant

  init(history: History, startingAt now: MonotonicInstant) {
    self.history = history
    next = now + Self.firstPause
  }

  /// Does one piece of a round, when one is due; whether there is more to do.
  mutating func step(_ database: DatabaseQueue, at now: Now) throws -> Bool {
    guard now.monotonic >= next else { return false }
    let hasMore = try database.write { db in try prune(db, at: now.wall) }
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA incremental_vacuum(\(Self.pagesAtOnce))")
    }
    if !hasMore { next = now.monotonic + Self.pause }
    return hasMore
  }

  /// One piece of each kind; whether one of them was full.
  func prune(_ db: Database, at now: WallInstant) throws -> Bool {
    let keep = (now - history.keep).milliseconds
    var hasMore = try pruneVerdicts(db, before: keep)
    let runs = try lastRunToDelete(db, before: keep)
    hasMore = try pruneRuns(db, through: runs) || hasMore
    hasMore =
      try deleteOldest(
        db, from: "outputs", key: "run", "at < ?", (now - history.output).milliseconds) || hasMore
    hasMore =
      try deleteOldest(
        db, from: "attempt_outputs", key: "id", "at < ?", (now - history.output).milliseconds)
      || hasMore
    for table in ["clock_steps", "reloads", "losses"] {
      hasMore = try delete(db, from: table, key: "id", "at < ?", keep) || hasMore
    }
    hasMore = try delete(db, from: "schedules", key: "id", "ended_at < ?", keep) || hasMore
    hasMore = try delete(db, from: "daemons", key: "id", "seen_at < ?", keep) || hasMore
    return try pruneBySize(db) || hasMore
  }

  private func delete(
    _ db: Database, from table: String, key: String, _ condition: String, _ bound: Int64
  ) throws -> Bool {
    try db.execute(
      sql: """
        DELETE FROM \(table) WHERE \(key) IN (
          SELECT \(key) FROM \(table) WHERE \(condition) ORDER BY \(key)
          LIMIT \(Self.rowsAtOnce))
        """, arguments: [bound])
    return db.changesCount == Self.rowsAtOnce
  }

  /// As `delete`, of a table that is large and whose oldest rows have the lowest numbers: the search
  /// does not go beyond the first of them.
  private func deleteOldest(
    _ db: Database, from table: String, key: String, _ condition: String, _ bound: Int64
  ) throws -> Bool {
    try db.execute(
      sql: """
        DELETE FROM \(table) WHERE \(key) IN (
          SELECT \(key) FROM (SELECT * FROM \(table) ORDER BY \(key) LIMIT \(Self.rowsAtOnce))
          WHERE \(condition))
        """, arguments: [bound])
    return db.changesCount == Self.rowsAtOnce
  }

  private func pruneVerdicts(_ db: Database, before bound: Int64) throws -> Bool {
    let horizon = try Int64.fetchOne(
      db,
      sql: """
        SELECT max(last) FROM (SELECT last, at FROM verdicts ORDER BY id LIMIT \(Self.rowsAtOnce))
        WHERE at < ?
        """, arguments: [bound])
    guard let horizon else { return false }
    // A clock that was ahead for a while is not to hide what came since.
    try raise("horizon", to: min(horizon, bound), db)
    return try deleteOldest(db, from: "verdicts", key: "id", "at < ?", bound)
  }

  /// The newest run that goes, by number or by age.
  private func lastRunToDelete(_ db: Database, before bound: Int64) throws -> Int64 {
    let beyond =
      try Int64.fetchOne(
        db, sql: "SELECT run FROM runs ORDER BY run DESC LIMIT 1 OFFSET ?",
        arguments: [history.runsMax]) ?? 0
    let old =
      try Int64.fetchOne(
        db,
        sql: """
          SELECT max(run) FROM (SELECT run, ended_at FROM runs ORDER BY run LIMIT \(Self.rowsAtOnce))
          WHERE ended_at < ?
          """, arguments: [bound]) ?? 0
    return max(old, beyond)
  }

  private func pruneRuns(_ db: Database, through last: Int64) throws -> Bool {
    let expired = try Int64.fetchAll(
      db,
      sql: """
        SELECT run FROM runs WHERE run <= ? AND outcome IS NOT NULL AND retry_at IS NULL
        ORDER BY run LIMIT \(Self.rowsAtOnce)
        """, arguments: [last])
    guard let first = expired.first, let end = expired.last else { return false }
    // Open ones among them stay.
    try db.execute(
      sql: """
        DELETE FROM runs WHERE run BETWEEN ? AND ? AND outcome IS NOT NULL AND retry_at IS NULL
        """, arguments: [first, end])
    for table in ["attempts", "outputs", "attempt_outputs"] {
      try db.execute(
        sql: """
          DELETE FROM \(table) WHERE run BETWEEN ? AND ?
            AND run NOT IN (SELECT run FROM runs WHERE run BETWEEN ? AND ?)
          """, arguments: [first, end, first, end])
    }
    try raise("runs_horizon", to: end, db)
    return expired.count == Self.rowsAtOnce
  }

  /// A ledger that is too large loses its oldest entries, a piece at a time.
  private func pruneBySize(_ db: Database) throws -> Bool {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
    let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
    guard (pages - free) * size > history.sizeBytesMax else { return false }
    let oldest = try Int64.fetchOne(
      db,
      sql: """
        SELECT max(at) + 1 FROM (SELECT at FROM verdicts ORDER BY id LIMIT \(Self.rowsAtOnce))
        """)
    var hasMore = false
    if let oldest { hasMore = try pruneVerdicts(db, before: oldest) }
    let run = try Int64.fetchOne(
      db,
      sql: """
        SELECT max(run) FROM (SELECT run FROM runs ORDER BY run LIMIT \(Self.rowsAtOnce))
        """)
    if let run { hasMore = try pruneRuns(db, through: run) || hasMore }
    return hasMore
  }

  private func raise(_ key: String, to value: Int64, _ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO meta (key, value) VALUES (?, ?)
        ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)
        """, arguments: [key, value])
  }
}
