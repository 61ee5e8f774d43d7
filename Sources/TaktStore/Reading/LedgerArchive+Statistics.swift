internal import GRDB
internal import GRDBSQLite
package import TaktCore
package import TaktTime

package struct RunStatistics: Hashable, Sendable {
  /// The median and the 95th percentile.
  package struct Spread: Hashable, Sendable {
    package var median: Duration
    package var high: Duration

    /// Nil without values; in microseconds.
    ///
    /// - Parameter values: sorted here, so that one array serves many jobs.
    init?(_ values: inout [Int64]) {
      guard !values.isEmpty else { return nil }
      values.sort()
      func rank(_ percent: Int) -> Duration {
        .microseconds(values[max(0, (values.count * percent + 99) / 100 - 1)])
      }
      median = rank(50)
      high = rank(95)
    }
  }

  /// Runs by outcome. No dictionary: there may be one of these for each of many thousand jobs.
  package struct Counts: Hashable, Sendable {
    private var succeeded = 0
    private var failed = 0
    private var timedOut = 0
    private var cancelled = 0
    private var interrupted = 0

    package subscript(outcome: Outcome) -> Int {
      get {
        switch outcome {
        case .succeeded: succeeded
        case .failed: failed
        case .timedOut: timedOut
        case .cancelled: cancelled
        case .interrupted: interrupted
        }
      }
      set {
        switch outcome {
        case .succeeded: succeeded = newValue
        case .failed: failed = newValue
        case .timedOut: timedOut = newValue
        case .cancelled: cancelled = newValue
        case .interrupted: interrupted = newValue
        }
      }
    }

    package var total: Int { succeeded + failed + timedOut + cancelled + interrupted }
  }

  package var job: String
  /// Of the runs that have ended, hooks left out.
  package var counts: Counts
  package var durations: Spread?
  /// The delay from a slot's due time to the start of its run.
  package var lateness: Spread?

  package var total: Int { counts.total }

  /// The share of those that were not cancelled; nil without runs.
  package var successRate: Double? {
    let judged = total - counts[.cancelled]
    return judged == 0 ? nil : Double(counts[.succeeded]) / Double(judged)
  }
}

extension LedgerArchive {
  /// The statistics of all jobs that have runs, by name, or of one.
  ///
  /// - Parameter limit: only this many runs are read, the newest; nil for all.
  package func statistics(
    of job: JobName? = nil, since: WallInstant? = nil, limit: Int? = nil
  ) throws(Failure) -> [RunStatistics] {
    try read { db in
      let jobs = try jobs(db)
      let number = job.map { job in jobs.first { $0.name == job.text }?.number ?? -1 }
      var runs = GatheredRuns(of: jobs)
      try scan(db, number, since, limit) { runs.add($0, $1, $2, $3) }
      return runs.statistics
    }
  }

  /// In the order of their names, which their index has.
  private func jobs(_ db: Database) throws -> [GatheredRuns.Job] {
    var jobs: [GatheredRuns.Job] = []
    let prepared = try db.makeStatement(sql: "SELECT id, name FROM jobs ORDER BY name")
    try eachRow(of: prepared) { statement in
      guard let text = sqlite3_column_text(statement, 1) else { return }
      // SQLite ends the name with a NUL; it is valid until the next step.
      jobs.append(
        GatheredRuns.Job(
          number: sqlite3_column_int64(statement, 0), name: String(cString: text)))
    }
    return jobs
  }

  /// Visits the rows of a statement whose values are bound.
  ///
  /// By SQLite's own functions: GRDB makes a value of each column, which takes several times as
  /// long.
  func eachRow(of prepared: Statement, _ take: (OpaquePointer) -> Void) throws {
    // It is closed with the statement that owns it.
    let statement = prepared.sqliteStatement
    defer { withExtendedLifetime(prepared) {} }
    defer { sqlite3_reset(statement) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: take(statement)
      case SQLITE_DONE: return
      case let code: throw DatabaseError(resultCode: ResultCode(rawValue: code))
      }
    }
  }

  /// Visits each run that has ended: its job's number, the place of its outcome, and times in
  /// microseconds.
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
    var values = BoundValues(of: prepared.sqliteStatement)
    if let job { values.add(job) }
    if let since { values.add(since.milliseconds) }
    // No two outcomes start with one letter.
    let letters = Outcome.allCases.map { $0.rawValue.utf8.first }
    try eachRow(of: prepared) { statement in
      func integer(_ column: Int32) -> Int64? {
        sqlite3_column_type(statement, column) == SQLITE_NULL
          ? nil : sqlite3_column_int64(statement, column)
      }
      guard let job = integer(0), let text = sqlite3_column_text(statement, 1),
        let outcome = letters.firstIndex(of: text.pointee)
      else { return }
      take(job, outcome, integer(2), integer(3))
    }
  }
}

/// The runs of all jobs while they are read: in few large arrays, since there may be millions.
private struct GatheredRuns {
  struct Job {
    var number: Int64
    var name: String
  }

  private struct Run {
    var job: Int32
    var outcome: Int32
    /// In microseconds; below zero for none.
    var duration: Int64
    var lateness: Int64
  }

  private let jobs: [Job]
  /// The place of each job by its number, as long as the numbers are not much higher than the count
  /// of jobs; -1 for none.
  private var places: [Int32]
  private var farPlaces: [Int64: Int32] = [:]
  private var runCounts: [Int]
  private var runs: [Run] = []

  init(of jobs: [Job]) {
    self.jobs = jobs
    places = Array(repeating: -1, count: 4 * jobs.count + 1024)
    runCounts = Array(repeating: 0, count: jobs.count)
    for (place, job) in jobs.enumerated() {
      if places.indices.contains(Int(job.number)) {
        places[Int(job.number)] = Int32(place)
      } else {
        farPlaces[job.number] = Int32(place)
      }
    }
  }

  /// Adds a run; one without a job is ignored.
  mutating func add(_ job: Int64, _ outcome: Int, _ duration: Int64?, _ lateness: Int64?) {
    let place = places.indices.contains(Int(job)) ? places[Int(job)] : farPlaces[job] ?? -1
    guard place >= 0 else { return }
    runCounts[Int(place)] += 1
    runs.append(
      Run(
        job: place, outcome: Int32(outcome), duration: max(-1, duration ?? -1),
        lateness: lateness.map { max(0, $0) } ?? -1))
  }

  /// In the order of the jobs, without those that have no runs.
  var statistics: [RunStatistics] {
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
    var result: [RunStatistics] = []
    var (durations, latenesses): ([Int64], [Int64]) = ([], [])
    for place in jobs.indices where runCounts[place] > 0 {
      durations.removeAll(keepingCapacity: true)
      latenesses.removeAll(keepingCapacity: true)
      var counts = RunStatistics.Counts()
      for run in sorted[starts[place]..<starts[place + 1]] {
        counts[outcomes[Int(run.outcome)]] += 1
        if run.duration >= 0 { durations.append(run.duration) }
        if run.lateness >= 0 { latenesses.append(run.lateness) }
      }
      result.append(
        RunStatistics(
          job: jobs[place].name, counts: counts, durations: .init(&durations),
          lateness: .init(&latenesses)))
    }
    return result
  }
}
