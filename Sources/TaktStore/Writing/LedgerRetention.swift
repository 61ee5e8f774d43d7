internal import GRDB
import TaktCore
import TaktTime

/// Deletes the entries that are older, more or larger than the ledger is to keep: a little at a
/// time, so that no write waits long for it.
struct LedgerRetention {
  private static let rowsAtOnce = 2000
  private static let pagesAtOnce = 256
  /// The time from the end of a round to the next.
  private static let pause = Duration.seconds(600)
  /// Longer work takes precedence at the start.
  private static let firstPause = Duration.seconds(30)

  private let history: History
  private var next: MonotonicInstant
  /// The wall clock's lead over the monotonic one in the last round, in milliseconds.
  private var lead: Int64?

  init(history: History, startingAt now: MonotonicInstant) {
    self.history = history
    next = now + Self.firstPause
  }

  /// Performs one piece of a round, when one is due; true if there is more to do.
  mutating func step(_ database: DatabaseQueue, at now: Now) throws -> Bool {
    guard now.monotonic >= next else { return false }
    // A clock that is ahead for a while makes nothing old.
    let present = now.wall.milliseconds - now.monotonic.nanoseconds / 1_000_000
    let early = max(0, present - (lead ?? present))
    let hasMore = try database.write { db in
      try prune(db, at: WallInstant(milliseconds: now.wall.milliseconds - early))
    }
    try database.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA incremental_vacuum(\(Self.pagesAtOnce))")
    }
    if !hasMore {
      next = now.monotonic + Self.pause
      lead = present
    }
    return hasMore
  }

  /// One piece of each kind; true if one of them was full.
  func prune(_ db: Database, at now: WallInstant) throws -> Bool {
    let kept = Span(since: now - history.keep, now: now)
    let keptOutput = Span(since: now - history.output, now: now)
    var hasMore = try pruneVerdicts(db, before: kept.first)
    let runs = try lastRunToDelete(db, kept)
    hasMore = try pruneRuns(db, through: runs) || hasMore
    hasMore = try deleteOldest(db, from: "outputs", key: "run", keptOutput) || hasMore
    hasMore = try deleteOldest(db, from: "attempt_outputs", key: "id", keptOutput) || hasMore
    for table in ["clock_steps", "reloads", "losses"] {
      hasMore = try deleteOldest(db, from: table, key: "id", kept) || hasMore
    }
    hasMore = try deleteOldest(db, from: "daemons", key: "id", at: "seen_at", kept) || hasMore
    hasMore = try pruneSchedules(db, before: kept.first) || hasMore
    // A cluster's engine keeps its slots no longer than that.
    let reported = now - .seconds(30 * 86_400)
    try db.execute(
      sql: "DELETE FROM unreported WHERE slot < ?", arguments: [reported.milliseconds])
    return try pruneBySize(db) || hasMore
  }

  /// The time from which records are kept, in milliseconds.
  private struct Span {
    let first: Int64
    let last: Int64

    init(since first: WallInstant, now: WallInstant) {
      (self.first, last) = (first.milliseconds, now.milliseconds)
    }
  }

  /// Deletes rows whose time is before that of a span, up to the first row whose time is in it:
  /// later rows only seem to be older, because the clock was behind.
  ///
  /// The oldest rows have the lowest numbers: the search does not go beyond the first of them.
  private func deleteOldest(
    _ db: Database, from table: String, key: String, at column: String = "at", _ kept: Span
  ) throws -> Bool {
    try db.execute(
      sql: """
        WITH oldest AS (
          SELECT \(key) AS number, \(column) AS time FROM \(table) ORDER BY \(key)
          LIMIT \(Self.rowsAtOnce))
        DELETE FROM \(table) WHERE \(key) IN (
          SELECT number FROM oldest WHERE time < ? AND number < coalesce(
            (SELECT min(number) FROM oldest WHERE time BETWEEN ? AND ?), 9223372036854775807))
        """, arguments: [kept.first, kept.first, kept.last])
    return db.changesCount == Self.rowsAtOnce
  }

  /// A schedule stays as long as a verdict on one of its slots, which may have come much later.
  private func pruneSchedules(_ db: Database, before bound: Int64) throws -> Bool {
    try db.execute(
      sql: """
        DELETE FROM schedules WHERE id IN (
          SELECT id FROM schedules WHERE max(ended_at, clock_to, wall_to) < ? AND NOT EXISTS (
            SELECT 1 FROM verdicts
            WHERE verdicts.job = schedules.job AND first <= max(clock_to, wall_to))
          ORDER BY id LIMIT \(Self.rowsAtOnce))
        """, arguments: [bound])
    return db.changesCount == Self.rowsAtOnce
  }

  /// A verdict is as old as its slot, or as itself if it came later.
  private func pruneVerdicts(_ db: Database, before bound: Int64) throws -> Bool {
    let oldest = "SELECT id, last, at FROM verdicts ORDER BY id LIMIT \(Self.rowsAtOnce)"
    let horizon = try Int64.fetchOne(
      db, sql: "SELECT max(last) FROM (\(oldest)) WHERE max(at, last) < ?", arguments: [bound])
    guard let horizon else { return false }
    try raise("horizon", to: horizon, db)
    try db.execute(
      sql: """
        DELETE FROM verdicts WHERE id IN (SELECT id FROM (\(oldest)) WHERE max(at, last) < ?)
        """, arguments: [bound])
    return db.changesCount == Self.rowsAtOnce
  }

  /// The newest run to delete, by number or by age.
  private func lastRunToDelete(_ db: Database, _ kept: Span) throws -> Int64 {
    let beyond =
      try Int64.fetchOne(
        db, sql: "SELECT run FROM runs ORDER BY run DESC LIMIT 1 OFFSET ?",
        arguments: [history.runsMax]) ?? 0
    let oldest = "SELECT run, ended_at FROM runs ORDER BY run LIMIT \(Self.rowsAtOnce)"
    // Runs that end later than one that is kept only seem to be older.
    let old =
      try Int64.fetchOne(
        db,
        sql: """
          SELECT max(run) FROM (\(oldest)) WHERE ended_at < ? AND run < coalesce(
            (SELECT min(run) FROM (\(oldest)) WHERE ended_at BETWEEN ? AND ?), 9223372036854775807)
          """, arguments: [kept.first, kept.first, kept.last]) ?? 0
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

  /// Deletes the oldest entries of a ledger that is too large, a piece at a time.
  private func pruneBySize(_ db: Database) throws -> Bool {
    let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
    let free = try Int.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
    let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 4096
    guard (pages - free) * size > history.sizeBytesMax else { return false }
    let oldest = try Int64.fetchOne(
      db,
      sql: """
        SELECT max(max(at, last)) + 1
        FROM (SELECT at, last FROM verdicts ORDER BY id LIMIT \(Self.rowsAtOnce))
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
