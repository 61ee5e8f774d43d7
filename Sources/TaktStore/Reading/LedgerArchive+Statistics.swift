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
    init?(_ values: some Sequence<Int64>) {
      let sorted = values.sorted()
      guard !sorted.isEmpty else { return nil }
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
  ///
  /// - Parameter limit: so many runs are looked at, the newest; nil for all.
  package func statistics(
    of job: JobName? = nil, since: WallInstant? = nil, limit: Int? = nil
  ) throws(Failure) -> [RunStatistics] {
    try read { db in
      let names = try jobNumbers(db)
      let number = job.map { job in names.first { $0.value == job.text }?.key ?? -1 }
      var runs = GatheredRuns()
      try scan(db, number, since, limit) { runs.add($0, $1, $2, $3) }
      return runs.statistics(names).sorted { $0.job < $1.job }
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
    _ db: Database, _ job: Int64?, _ since: WallInstant?, _ limit: Int?,
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
        SELECT job, outcome, nullif(duration_us, 0),
          iif(kind = 'slot', \(hasLateness ? "coalesce(late_us, \(whole))" : whole), NULL)
        FROM runs WHERE \(conditions.joined(separator: " AND "))
        \(limit.map { "ORDER BY run DESC LIMIT \($0)" } ?? "")
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

/// The runs of all jobs while they are read: in few large arrays, for there may be millions.
private struct GatheredRuns {
  private struct Run {
    var job: Int32
    var outcome: Int32
    /// In microseconds; below zero for none.
    var duration: Int64
    var lateness: Int64
  }

  private var places: [Int64: Int32] = [:]
  private var numbers: [Int64] = []
  private var runCounts: [Int] = []
  private var runs: [Run] = []
  private var last: (number: Int64, place: Int32) = (-1, 0)

  mutating func add(_ job: Int64, _ outcome: Int, _ duration: Int64?, _ lateness: Int64?) {
    let place = place(of: job)
    runCounts[Int(place)] += 1
    runs.append(
      Run(
        job: place, outcome: Int32(outcome), duration: max(-1, duration ?? -1),
        lateness: lateness.map { max(0, $0) } ?? -1))
  }

  private mutating func place(of job: Int64) -> Int32 {
    if last.number == job { return last.place }
    let place = places[job] ?? Int32(numbers.count)
    if place == numbers.count {
      places[job] = place
      numbers.append(job)
      runCounts.append(0)
    }
    last = (job, place)
    return place
  }

  /// The statistics of the jobs that have names.
  func statistics(_ names: [Int64: String]) -> [RunStatistics] {
    // Each job's runs side by side.
    var starts = [0]
    for count in runCounts { starts.append(starts[starts.count - 1] + count) }
    var sorted = runs
    var next = starts
    for run in runs {
      sorted[next[Int(run.job)]] = run
      next[Int(run.job)] += 1
    }
    let outcomes = Outcome.allCases
    var numbersOfOutcomes = outcomes.map { _ in 0 }
    return numbers.indices.compactMap { place in
      guard let name = names[numbers[place]] else { return nil }
      let own = sorted[starts[place]..<starts[place + 1]]
      for outcome in outcomes.indices { numbersOfOutcomes[outcome] = 0 }
      for run in own { numbersOfOutcomes[Int(run.outcome)] += 1 }
      let counts = zip(outcomes, numbersOfOutcomes).filter { $0.1 > 0 }
      return RunStatistics(
        job: name, counts: Dictionary(uniqueKeysWithValues: counts),
        durations: .init(own.lazy.map(\.duration).filter { $0 >= 0 }),
        lateness: .init(own.lazy.map(\.lateness).filter { $0 >= 0 }))
    }
  }
}
