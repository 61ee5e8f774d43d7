internal import GRDB
internal import GRDBSQLite
package import TaktCore
package import TaktTime

extension LedgerArchive {
  /// The runs of each job that succeeded, failed or timed out, hooks left out: what simulations draw
  /// from.
  ///
  /// One walk over the runs in the order of their numbers, which is that of the table: nothing is
  /// sorted, and no more is kept than `JobRunHistory` takes.
  ///
  /// - Parameters:
  ///   - start: only runs that began since then; nil for any.
  ///   - end: only runs that began before.
  ///   - zone: in which hours of the day are counted.
  package func history(
    since start: WallInstant? = nil, before end: WallInstant, in zone: Zone
  ) throws(Failure) -> RunHistory {
    try read { db in
      var gathered = GatheredHistory(try jobNames(db))
      let prepared = try db.makeStatement(sql: try Self.historySQL(db))
      var values = BoundValues(of: prepared.sqliteStatement)
      values.add(start?.milliseconds ?? .min)
      values.add(end.milliseconds)
      let letters = [Outcome.succeeded, .failed, .timedOut].map { $0.rawValue.utf8.first }
      try eachRow(of: prepared) { statement in
        guard let text = sqlite3_column_text(statement, 3),
          let outcome = letters.firstIndex(of: text.pointee),
          let ending = PastRun.End(rawValue: UInt8(outcome))
        else { return }
        let began = WallInstant(milliseconds: sqlite3_column_int64(statement, 1))
        let use = Self.use(of: statement, in: 5)
        gathered.add(
          PastRun(
            microseconds: sqlite3_column_int64(statement, 2),
            attempt: Self.attempt(of: statement, in: 6), cpuMicroseconds: use?.cpu ?? -1,
            memoryBytes: use?.memory ?? -1,
            attempts: Int(clamping: sqlite3_column_int64(statement, 4)), end: ending,
            hour: began.hour(in: zone)),
          of: sqlite3_column_int64(statement, 0), at: began)
      }
      return gathered.history
    }
  }

  /// No two of the outcomes start with one letter.
  static func historySQL(_ db: Database) throws -> String {
    // A ledger that no daemon of this version has opened has none.
    let hasUse = try db.columns(in: "runs").contains { $0.name == "used" }
    let outcomes = [Outcome.succeeded, .failed, .timedOut].map { "'\($0.rawValue)'" }
    return """
      SELECT job, began_at, duration_us, outcome, attempts, \(hasUse ? "used" : "NULL"),
        iif(attempts > 1, (SELECT ended_at - began_at FROM attempts AS own
          WHERE own.run = runs.run AND own.attempt = runs.attempts), NULL)
      FROM runs
      WHERE outcome IN (\(outcomes.joined(separator: ", "))) AND kind <> 'hook'
      AND duration_us > 0 AND began_at >= ? AND began_at < ? ORDER BY run
      """
  }

  /// Microseconds of the last attempt, from a column with milliseconds; nil where that is null: a run
  /// of one attempt is that attempt.
  private static func attempt(of statement: OpaquePointer, in column: Int32) -> Int64? {
    guard sqlite3_column_type(statement, column) == SQLITE_INTEGER else { return nil }
    let (microseconds, isBeyond) = sqlite3_column_int64(statement, column)
      .multipliedReportingOverflow(by: 1000)
    return isBeyond ? nil : microseconds
  }

  private func jobNames(_ db: Database) throws -> [Int64: JobName] {
    var names: [Int64: JobName] = [:]
    let prepared = try db.makeStatement(sql: "SELECT id, name FROM jobs")
    try eachRow(of: prepared) { statement in
      // SQLite ends the name with a NUL; it is valid until the next step.
      guard let text = sqlite3_column_text(statement, 1) else { return }
      names[sqlite3_column_int64(statement, 0)] = JobName(String(cString: text))
    }
    return names
  }

  /// Since when the ledger knows each job.
  package func knownSince() throws(Failure) -> [JobName: WallInstant] {
    try read { db in
      let rows = try Row.fetchAll(
        db,
        sql: """
          SELECT name, min(began_at) AS since FROM schedules JOIN jobs ON jobs.id = job
          GROUP BY job
          """)
      return try rows.reduce(into: [:]) { known, row in
        guard let name = JobName(try row.text("name")) else { return }
        known[name] = try row.instant("since")
      }
    }
  }

  /// User and system time together in microseconds, and the most memory where it is known: the first
  /// three of a column `used`; nil without.
  ///
  /// By hand: SQLite's own functions for JSON take longer than all the rest.
  static func use(
    of statement: OpaquePointer, in column: Int32
  ) -> (cpu: Int64, memory: Int64?)? {
    // SQLite ends the text with a NUL, which is neither digit nor separator, so that no byte behind it
    // is read; the text is valid until the next step.
    guard var next = sqlite3_column_text(statement, column), next.pointee == UInt8(ascii: "[")
    else { return nil }
    func number() -> (value: Int64, isGiven: Bool) {
      var number: Int64 = 0
      next += 1
      let start = next
      while (48...57).contains(next.pointee), number < 1 << 52 {
        number = number * 10 + Int64(next.pointee - 48)
        next += 1
      }
      return (number, next != start)
    }
    let comma = UInt8(ascii: ",")
    let user = number()
    guard user.isGiven, next.pointee == comma else { return nil }
    let system = number()
    guard system.isGiven, next.pointee == comma else { return nil }
    let memory = number()
    return (user.value + system.value, memory.isGiven && next.pointee == comma ? memory.value : nil)
  }
}

/// The runs of all jobs while they are read.
private struct GatheredHistory {
  private let names: [JobName]
  private var places: [Int64: Int] = [:]
  private var jobs: [JobRunHistory]
  private var first: WallInstant?
  private var last: WallInstant?

  init(_ names: [Int64: JobName]) {
    let ordered = names.sorted { $0.key < $1.key }
    self.names = ordered.map(\.value)
    jobs = ordered.map { JobRunHistory(of: $0.value.text) }
    for (place, job) in ordered.enumerated() { places[job.key] = place }
  }

  /// Takes a run; one of no job is passed over.
  mutating func add(_ run: PastRun, of job: Int64, at began: WallInstant) {
    guard let place = places[job] else { return }
    jobs[place].add(run)
    first = first.map { min($0, began) } ?? began
    last = last.map { max($0, began) } ?? began
  }

  var history: RunHistory {
    var found: [JobName: JobRunHistory] = [:]
    for (name, job) in zip(names, jobs) where job.count > 0 { found[name] = job }
    guard let first, let last else { return RunHistory(found) }
    return RunHistory(found, range: first...last)
  }
}
