internal import GRDB
internal import GRDBSQLite
package import TaktCore
import TaktTime

extension LedgerArchive {
  /// Counts of slots and runs in each hour, or on each day, of a range.
  ///
  /// One walk over the rows, which are counted here: SQLite's GROUP BY would sort them first, which
  /// takes three times as long.
  package func heat(_ query: HeatQuery) throws(Failure) -> HeatMap {
    try read { db in
      var count = HeatCount(query)
      let job = try query.job.map { job in
        try Int64.fetchOne(db, sql: "SELECT id FROM jobs WHERE name = ?", arguments: [job.text])
          ?? -1
      }
      try countRuns(db, query, job) { count.add(start: $0, isFailure: $1, duration: $2, cpu: $3) }
      try countSlots(db, query, job) { count.add(notRun: $0, to: $1, count: $2) }
      return count.map
    }
  }

  private func countRuns(
    _ db: Database, _ query: HeatQuery, _ job: Int64?,
    _ take: (Int64, Bool, Int64?, Int64?) -> Void
  ) throws {
    // A ledger that no daemon of this version has opened has none.
    let hasUse = try db.columns(in: "runs").contains { $0.name == "used" }
    let outcomes = RunQuery.failures.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    let prepared = try db.makeStatement(
      sql: """
        SELECT coalesce(began_at, ended_at) AS start, outcome IN (\(outcomes)),
          nullif(duration_us, 0), \(hasUse ? "used" : "NULL")
        FROM runs WHERE outcome IS NOT NULL AND kind <> 'hook' AND start >= ? AND start < ?
        \(job == nil ? "" : "AND job = ?")
        """)
    try bind(prepared, query, job)
    try eachRow(of: prepared) { statement in
      let duration = sqlite3_column_int64(statement, 2)
      take(
        sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1) != 0,
        duration > 0 ? duration : nil, Self.use(of: statement, in: 3)?.cpu)
    }
  }

  private func countSlots(
    _ db: Database, _ query: HeatQuery, _ job: Int64?, _ take: (Int64, Int64, Int) -> Void
  ) throws {
    let prepared = try db.makeStatement(
      sql: """
        SELECT first, last, count FROM verdicts
        WHERE \(didNotRun)
        AND last >= ? AND first < ? \(job == nil ? "" : "AND job = ?")
        """)
    try bind(prepared, query, job)
    try eachRow(of: prepared) { statement in
      // Edited values are no reason to end the process.
      let count = min(max(sqlite3_column_int64(statement, 2), 0), 1 << 32)
      take(
        min(max(sqlite3_column_int64(statement, 0), 0), 1 << 52),
        min(max(sqlite3_column_int64(statement, 1), 0), 1 << 52), Int(count))
    }
  }

  private func bind(_ prepared: Statement, _ query: HeatQuery, _ job: Int64?) throws {
    var values = BoundValues(of: prepared.sqliteStatement)
    values.add(query.since.milliseconds)
    values.add(query.until.milliseconds)
    if let job { values.add(job) }
  }
}

extension LedgerArchive {
  /// The average time of the last runs of each job, of at most 40 a job: as fast whatever else the
  /// ledger holds.
  package func meanDurations() throws(Failure) -> [JobName: Duration] {
    try read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT name, (
            SELECT CAST(avg(iif(kind = 'hook' OR outcome IS NULL, NULL, nullif(duration_us, 0))) AS INTEGER)
            FROM (
              SELECT kind, outcome, duration_us FROM runs WHERE runs.job = jobs.id
              ORDER BY run DESC LIMIT 40)) AS mean
          FROM jobs
          """)
      var means: [JobName: Duration] = [:]
      for row in rows {
        guard let job = JobName(try row.text("name")), let mean = try row.integer(ifAny: "mean")
        else { continue }
        means[job] = .microseconds(mean)
      }
      return means
    }
  }
}
