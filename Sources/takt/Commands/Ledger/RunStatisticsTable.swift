import TaktCore
import TaktStore
import TaktTime

/// Statistics of each job's runs, for `takt runs --stats`.
struct RunStatisticsTable {
  let archive: LedgerArchive
  let job: JobName?
  let since: WallInstant?

  /// As many as are read in a tenth of a second.
  private static let runsMax = 50_000

  func print(json: Bool) throws {
    let limit = job == nil && since == nil ? Self.runsMax : nil
    let all = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.statistics(of: job, since: since, limit: limit)
    }
    if let limit, all.reduce(0, { $0 + $1.total }) >= limit {
      Console.error(
        "takt: of the newest \(limit) runs; --since or a job's name reads all of theirs")
    }
    let notRun = try archive.orExit { (archive) throws(LedgerArchive.Failure) in
      try archive.notRunCounts(of: job, since: since)
    }
    let without = Set(notRun.keys).subtracting(all.map(\.job)).sorted()
    if json {
      for job in all { Console.print(Answer(job, notRun: notRun[job.job] ?? 0).jsonLine) }
      for name in without { Console.print(Answer(name, notRun: notRun[name] ?? 0).jsonLine) }
      return
    }
    let rows =
      all.map { Self.columns($0) + [String(notRun[$0.job] ?? 0)] }
      // Jobs none of whose slots ran.
      + without.map { [$0, "0", "-", "0", "-", "-", "-", "-", String(notRun[$0] ?? 0)] }
    Console.print(
      titles: ["JOB", "RUNS", "OK", "FAILED", "TOOK P50", "P95", "LATE P50", "P95", "NOT RUN"],
      rows: rows)
    if rows.isEmpty { Console.error("takt: no runs") }
  }

  private static func columns(_ job: RunStatistics) -> [String] {
    let failed = RunQuery.failures.reduce(0) { $0 + job.counts[$1] }
    return [
      job.job, String(job.total), job.successRate.map(percent) ?? "-", String(failed),
      words(job.durations?.median), words(job.durations?.high), words(job.lateness?.median),
      words(job.lateness?.high),
    ]
  }

  private static func words(_ duration: Duration?) -> String {
    duration.map(DurationText.brief) ?? "-"
  }

  /// Never 100 % if a run has failed.
  static func percent(_ share: Double) -> String {
    let tenths = Int(share * 1000)
    return tenths % 10 == 0 ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
  }

  private struct Answer: Encodable {
    var job: String
    var runs: Int
    var outcomes: [String: Int]
    var success_rate: Double?
    var duration_p50_ms: Double?
    var duration_p95_ms: Double?
    var late_p50_ms: Double?
    var late_p95_ms: Double?
    var slots_not_run: Int

    init(_ job: String, notRun: Int) {
      self.job = job
      runs = 0
      outcomes = [:]
      slots_not_run = notRun
    }

    init(_ job: RunStatistics, notRun: Int) {
      slots_not_run = notRun
      self.job = job.job
      runs = job.total
      outcomes = Dictionary(
        uniqueKeysWithValues: Outcome.allCases.filter { job.counts[$0] > 0 }
          .map { ($0.rawValue, job.counts[$0]) })
      success_rate = job.successRate
      duration_p50_ms = Self.milliseconds(job.durations?.median)
      duration_p95_ms = Self.milliseconds(job.durations?.high)
      late_p50_ms = Self.milliseconds(job.lateness?.median)
      late_p95_ms = Self.milliseconds(job.lateness?.high)
    }

    private static func milliseconds(_ duration: Duration?) -> Double? {
      duration.map { Double($0.nanosecondsSaturated) / 1_000_000 }
    }
  }
}
