internal import GRDB
package import TaktCore
package import TaktTime

extension LedgerArchive {
  /// The decided slots that match, the newest first; those of all jobs by the time of their
  /// verdicts, unless the query is for those that did not run.
  package func slots(_ query: SlotQuery) throws(Failure) -> [DecidedSlot] {
    try read { db in
      let number = try query.job.map { job in
        try Int64.fetchOne(db, sql: "SELECT id FROM jobs WHERE name = ?", arguments: [job.text])
          ?? -1
      }
      let rows = try SlotSearch(db: db, query: query, job: number).rows()
      return try rows.compactMap { row in
        guard let job = JobName(try row.text("name")) else { return nil }
        return DecidedSlot(
          record: try row.verdictRecord(of: job),
          outcome: try row.text(ifAny: "outcome").flatMap(Outcome.init))
      }.sorted { $0.record.slots.last > $1.record.slots.last }
    }
  }
}

extension LedgerArchive {
  /// The number of each job's slots that did not run (`Verdict.didNotRun`).
  package func notRunCounts(
    of job: JobName?, since: WallInstant?
  ) throws(Failure) -> [String: Int] {
    try read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT name, sum(count) AS slots FROM verdicts JOIN jobs ON jobs.id = verdicts.job
          WHERE \(didNotRun) AND last >= ? \(job == nil ? "" : "AND name = ?") GROUP BY name
          """,
        arguments: StatementArguments(
          [since?.milliseconds ?? Int64.min] as [any DatabaseValueConvertible]
            + (job.map { [$0.text] } ?? [])))
      return Dictionary(
        try rows.map { (try $0.text("name"), try $0.count("slots")) }, uniquingKeysWith: +)
    }
  }
}

/// `Verdict.didNotRun` in SQL, for which the index `verdicts_not_run_by_time` is used.
let didNotRun: String = {
  let others = SkipReason.allCases.filter { !$0.countsAsNotRun }.map { "'\($0.rawValue)'" }
  return "\(LedgerSchema.isIndexedAsNotRun) AND verdict NOT IN ('ran', 'coalesced') "
    + "AND NOT (verdict = 'skipped' AND detail IN (\(others.joined(separator: ", "))))"
}()

/// A walk over the verdicts, by the index that leads to the matching ones.
private struct SlotSearch {
  let db: Database
  let query: SlotQuery
  let job: Int64?

  private var since: Int64 { query.since?.milliseconds ?? .min }

  func rows() throws -> [Row] {
    let index = "verdicts_not_run_by_time"
    // A ledger that no daemon of this version has opened lacks it.
    let hasIndex =
      try Bool.fetchOne(
        db, sql: "SELECT count(*) FROM sqlite_master WHERE name = ?", arguments: [index]) ?? false
    if query.notRunOnly, hasIndex { return try fetch("INDEXED BY \(index)", order: "last") }
    guard let job else {
      return try fetch(
        "NOT INDEXED", order: "verdicts.id", "verdicts.id >= ?", [try firstNumber()])
    }
    // No two records of a job overlap: of those that start before, only the last can reach into it.
    return try fetch(
      "INDEXED BY verdicts_by_job", order: "first",
      """
      first >= coalesce(
        (SELECT max(first) FROM verdicts WHERE job = ? AND first < ?), \(Int64.min))
      """, [job, since])
  }

  private func fetch(
    _ index: String, order: String, _ condition: String = "true", _ arguments: [Int64] = []
  ) throws -> [Row] {
    var conditions = [condition, "last >= ?", "first < ?"]
    var values = arguments + [since, query.until?.milliseconds ?? .max]
    if let job {
      conditions.append("verdicts.job = ?")
      values.append(job)
    }
    if query.notRunOnly { conditions.append(didNotRun) }
    return try Row.fetchAll(
      db,
      sql: """
        SELECT name, first, last, count, verdict, detail, run, at,
          (SELECT outcome FROM runs WHERE runs.run = verdicts.run) AS outcome
        FROM verdicts \(index) CROSS JOIN jobs ON jobs.id = verdicts.job
        WHERE \(conditions.joined(separator: " AND "))
        ORDER BY \(order) DESC LIMIT \(query.limit)
        """, arguments: StatementArguments(values))
  }

  /// The number of a verdict before which all are on slots before the range: verdicts are numbered
  /// in the order in which they were given, and none is given before its slot, except by a clock
  /// that is set back.
  private func firstNumber() throws -> Int64 {
    guard query.since != nil,
      var low = try Int64.fetchOne(db, sql: "SELECT min(id) FROM verdicts"),
      var high = try Int64.fetchOne(db, sql: "SELECT max(id) + 1 FROM verdicts")
    else { return .min }
    let back =
      try Int64.fetchOne(db, sql: "SELECT -sum(by_us) / 1000 FROM clock_steps WHERE by_us < 0") ?? 0
    let bound = since - 86_400_000 - back
    let statement = try db.makeStatement(
      sql: "SELECT id, at FROM verdicts WHERE id >= ? ORDER BY id LIMIT 1")
    while low < high {
      let middle = low + (high - low) / 2
      let row = try Row.fetchOne(statement, arguments: [middle])
      if let row, try row.integer("at") < bound {
        low = try row.integer("id") + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
