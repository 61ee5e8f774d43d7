internal import GRDB
internal import GRDBSQLite
package import TaktCore
package import TaktTime

/// How the runs of a job went.
package struct RunStatistics: Hashable, Sendable {
  /// A middle and a high value of many: half of them are at most `median`, 95 % at most `high`.
  package struct Spread: Hashable, Sendable {
    package var median: Duration
    package var high: Duration

    /// Nil of no values; in microseconds.
    init?(_ values: [Int64]) {
      guard !values.isEmpty else { return nil }
      let sorted = values.sorted()
      func rank(_ percent: Int) -> Duration {
        .microseconds(sorted[max(0, (sorted.count * percent + 99) / 100 - 1)])
      }
      median = rank(50)
      high = rank(95)
    }
  }

  package var job: String
  /// How many runs have ended, hooks left out.
  package var counts: [Outcome: Int]
  package var durations: Spread?
  /// How long after they were due runs of slots started.
  package var lateness: Spread?

  package var total: Int { counts.values.reduce(0, +) }

  /// The share of those that were not cancelled; nil of none.
  package var successRate: Double? {
    let judged = total - (counts[.cancelled] ?? 0)
    return judged == 0 ? nil : Double(counts[.succeeded] ?? 0) / Double(judged)
  }
}

extension LedgerArchive {
  /// The statistics of all jobs that have runs, by name, or of one.
  package func statistics(
    of job: JobName? = nil, since: WallInstant? = nil
  ) throws(Failure) -> [RunStatistics] {
    try read { db in
      let names = try jobNumbers(db)
      let number = job.map { job in names.first { $0.value == job.text }?.key ?? -1 }
      var all: [Int64: Gathered] = [:]
      try scan(db, number, since) { job, outcome, duration, lateness in
        all[job, default: Gathered()].add(outcome, duration, lateness)
      }
      return all.compactMap { number, gathered in
        names[number].map { gathered.statistics(of: $0) }
      }.sorted { $0.job < $1.job }
    }
  }

  /// What is known of one job while its runs are read.
  private struct Gathered {
    private var counts = [Int](repeating: 0, count: Outcome.allCases.count)
    private var durations: [Int64] = []
    private var lateness: [Int64] = []

    mutating func add(_ outcome: Int, _ duration: Int64?, _ late: Int64?) {
      counts[outcome] += 1
      if let duration { durations.append(duration) }
      if let late { lateness.append(late) }
    }

    func statistics(of job: String) -> RunStatistics {
      var byOutcome: [Outcome: Int] = [:]
      for (place, outcome) in Outcome.allCases.enumerated() where counts[place] > 0 {
        byOutcome[outcome] = counts[place]
      }
      return RunStatistics(
        job: job, counts: byOutcome, durations: .init(durations), lateness: .init(lateness))
    }
  }

  private func jobNumbers(_ db: Database) throws -> [Int64: String] {
    var names: [Int64: String] = [:]
    let rows = try Row.fetchCursor(db, sql: "SELECT id, name FROM jobs")
    while let row = try rows.next() { names[try row.integer("id")] = try row.text("name") }
    return names
  }

  /// Hands over each run that has ended: its job's number, the place of its outcome, and times in
  /// microseconds.
  ///
  /// By SQLite's own functions: GRDB makes a value of each column, which takes several times as long.
  private func scan(
    _ db: Database, _ job: Int64?, _ since: WallInstant?,
    _ take: (Int64, Int, Int64?, Int64?) -> Void
  ) throws {
    // A ledger that no daemon of this version has opened has milliseconds alone.
    let hasLateness = try db.columns(in: "runs").contains { $0.name == "late_us" }
    let whole = "(began_at - slot) * 1000"
    var conditions = ["outcome IS NOT NULL", "kind <> 'hook'"]
    if job != nil { conditions.append("job = ?") }
    if since != nil { conditions.append("coalesce(ended_at, began_at, slot) >= ?") }
    let prepared = try db.makeStatement(
      sql: """
        SELECT job, outcome, duration_us,
          iif(kind = 'slot', \(hasLateness ? "coalesce(late_us, \(whole))" : whole), NULL)
        FROM runs WHERE \(conditions.joined(separator: " AND "))
        """)
    // It is closed with the statement that owns it.
    let statement = prepared.sqliteStatement
    defer { withExtendedLifetime(prepared) {} }
    var values = BoundValues(of: statement)
    if let job { values.add(job) }
    if let since { values.add(since.milliseconds) }
    defer { sqlite3_reset(statement) }
    func integer(_ column: Int32) -> Int64? {
      sqlite3_column_type(statement, column) == SQLITE_NULL
        ? nil : sqlite3_column_int64(statement, column)
    }
    // No two outcomes start with one letter.
    let letters = Outcome.allCases.map { $0.rawValue.utf8.first }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        guard let job = integer(0), let text = sqlite3_column_text(statement, 1),
          let outcome = letters.firstIndex(of: text.pointee)
        else { continue }
        take(job, outcome, integer(2), integer(3))
      case SQLITE_DONE: return
      case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code))
      }
    }
  }
}
