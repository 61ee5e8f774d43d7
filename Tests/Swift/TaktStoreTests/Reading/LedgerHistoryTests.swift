import Foundation
import GRDB
import TaktTime
import Testing

@testable import TaktCore
@testable import TaktStore

/// The runs of a ledger as simulations draw from them.
@Suite struct LedgerHistoryTests {
  private let end = GridJob.begin + .seconds(86_400)

  /// A job with a run a minute, the one of each hour's first minute ten times as long.
  private func archive(_ bench: LedgerBench, runs: Int = 240) throws -> LedgerArchive {
    let job = try GridJob("a", everyMilliseconds: 60_000)
    try bench.open()
    bench.keep(job.load)
    bench.keep(job, 1...runs)
    try bench.sql {
      try $0.execute(
        sql: """
          UPDATE runs SET duration_us = iif(run % 60 = 0, 20000000, 2000000) + run,
            used = '[250000,50000,1048576,0,0,1,2]'
          """)
    }
    bench.close()
    return try LedgerArchive(folder: bench.folder.path)
  }

  @Test func `durations, outcomes and use are read by job`() throws {
    let bench = try LedgerBench()
    let archive = try archive(bench)
    let history = try archive.history(before: end, in: .utc)
    let name = try #require(JobName("a"))
    let job = try #require(history.jobs[name])
    #expect(history.count == 240 && job.count == 240 && job.failures == 0)
    #expect(job.memoryMax == 1_048_576)
    #expect(job.runs.allSatisfy { $0.cpuMicroseconds == 300_000 })
    #expect(job.longest > .seconds(20) && job.durations[50] ?? .zero < .seconds(3))
    #expect(history.range?.lowerBound == (try GridJob("a", everyMilliseconds: 60_000)).slot(1))
    #expect(try archive.history(before: GridJob.begin, in: .utc).count == 0)
    let part = try archive.history(
      since: GridJob.begin + .seconds(60 * 101), before: GridJob.begin + .seconds(60 * 111),
      in: .utc)
    #expect(part.count == 10)
    #expect(try archive.knownSince().count == 1)
  }

  @Test func `failures count, and runs that say nothing of durations do not`() throws {
    let (bench, job) = try LedgerBench.begun()
    bench.ledger?.record(job.runs(1, run: 1))
    bench.ledger?.record(job.begins(2, run: 2) + job.ends(2, run: 2, RunEnd(.failed, .exit(1))))
    bench.ledger?.record(
      job.begins(3, run: 3) + job.ends(3, run: 3, RunEnd(.interrupted, .down)))
    bench.ledger?.record(job.begins(4, run: 4))
    bench.closeKept()
    let archive = try LedgerArchive(folder: bench.folder.path)
    let history = try archive.history(before: end, in: .utc)
    let found = try #require(history.jobs[job.name])
    #expect(found.count == 2 && found.failures == 1 && found.memoryMax == nil)
  }

  @Test func `of a run that was tried again, the last attempt is known`() throws {
    let bench = try LedgerBench()
    let archive = try archive(bench, runs: 4)
    try bench.sql {
      try $0.execute(sql: "UPDATE runs SET duration_us = 60000000, attempts = 3")
      try $0.execute(
        sql: """
          INSERT OR REPLACE INTO attempts (run, attempt, began_at, ended_at)
          VALUES (1, 3, 1000, 3500), (2, 2, 1000, 2000), (3, 3, 5000, 1000), (4, 3, 0, 1000000)
          """)
    }
    let runs = try #require(archive.history(before: end, in: .utc).jobs.values.first).runs
    // The second one's last attempt is missing, and the clock was set in those of the others.
    #expect(runs.map(\.attemptMicroseconds) == [2_500_000, 60_000_000, 60_000_000, 60_000_000])
    #expect(runs.allSatisfy { $0.microseconds == 60_000_000 })
  }

  @Test func `damaged values of runs are passed over`() throws {
    let bench = try LedgerBench()
    let archive = try archive(bench, runs: 20)
    try bench.sql {
      try $0.execute(sql: "UPDATE runs SET used = 'garbage' WHERE run = 1")
      try $0.execute(sql: "UPDATE runs SET used = '[' WHERE run = 2")
      try $0.execute(sql: "UPDATE runs SET used = '[1,2,null,0,0,0,0]' WHERE run = 3")
      try $0.execute(sql: "UPDATE runs SET duration_us = -5 WHERE run = 4")
      try $0.execute(sql: "UPDATE runs SET attempts = -9223372036854775808 WHERE run = 5")
      try $0.execute(sql: "UPDATE runs SET outcome = 'x' WHERE run = 6")
    }
    let history = try archive.history(before: end, in: .utc)
    let runs = try #require(history.jobs.values.first).runs
    #expect(runs.count == 18)
    #expect(runs.count { $0.cpuMicroseconds < 0 } == 2 && runs.count { $0.memoryBytes < 0 } == 3)
  }

  @Test func `runs are walked through in their order, and nothing is sorted`() throws {
    let bench = try LedgerBench()
    _ = try archive(bench, runs: 2)
    let plan = try bench.sql { db in
      try Row.fetchAll(
        db, sql: "EXPLAIN QUERY PLAN " + LedgerArchive.historySQL(db), arguments: [0, 1]
      ).map { $0["detail"] as String? ?? "" }
    }
    #expect(plan.first?.hasPrefix("SCAN runs") == true, "\(plan)")
    #expect(plan.count { $0.hasPrefix("SCAN") } == 1, "\(plan)")
    #expect(plan.allSatisfy { !$0.contains("TEMP") }, "\(plan)")
  }
}
