import Foundation
import GRDB
import TaktCore
import TaktTime
import Testing

@testable import TaktStore

/// Reasons of runs and attempts, in a ledger of this version and of the one before.
@Suite struct LedgerReasonTests {
  /// The ends of the runs, by their numbers.
  private func ends(_ bench: LedgerBench) throws -> [RunEnd?] {
    var query = RunQuery()
    query.limit = 1000
    return try LedgerArchive(folder: bench.folder.path).runs(query).reversed().map(\.end)
  }

  private func attempts(_ bench: LedgerBench) throws -> [RunEnd?] {
    try bench.sql { db in
      try Row.fetchAll(db, sql: "SELECT * FROM attempts ORDER BY run").map { try $0.end() }
    }
  }

  /// - Parameter ended: how the runs ended that the ledger has; others wait.
  private func expectAll(in bench: LedgerBench, _ ended: [RunEnd]) throws {
    let waiting = ReasonLedger.waiting(of: ended)
    #expect(try ends(bench) == ended + waiting.map { _ in nil })
    #expect(try attempts(bench) == ended + waiting)
  }

  @Test func `each reason is read as it was written`() throws {
    let (bench, job) = try LedgerBench.opened()
    bench.keep(job.load + ReasonLedger.entries(of: job))
    bench.close()
    try expectAll(in: bench, ReasonLedger.ended)
    try bench.open()
    #expect(
      bench.findings.previous.runs.map(\.retry?.end) == ReasonLedger.waiting(of: ReasonLedger.ended)
    )
    bench.close()
    #expect(try bench.audit().isBalanced)
  }

  @Test func `statistics count each run once, and may stop at the newest`() throws {
    let (bench, job) = try LedgerBench.opened()
    bench.keep(job.load + ReasonLedger.entries(of: job))
    bench.close()
    let archive = try LedgerArchive(folder: bench.folder.path)
    let all = try #require(try archive.statistics().first)
    #expect(all.job == "a" && all.total == ReasonLedger.ended.count)
    let succeeded = ReasonLedger.ended.count { $0.outcome == .succeeded }
    #expect(all.counts[.succeeded] == succeeded)
    #expect(try archive.statistics(limit: 2).first?.total == 2)
    #expect(try archive.statistics(of: JobName("b")) == [])
    #expect(try archive.statistics(since: WallInstant(milliseconds: 1 << 50)) == [])
  }

  @Test func `a ledger that kept reasons as texts says the same before and after it is opened`()
    throws
  {
    let bench = try LedgerBench()
    try bench.makeFile("2-reasons")
    try expectAll(in: bench, ReasonLedger.old)
    #expect(try bench.audit().isBalanced)

    try bench.open()
    #expect(bench.findings.badRows == 0)
    #expect(
      bench.findings.previous.runs.map(\.retry?.end) == ReasonLedger.waiting(of: ReasonLedger.old))
    try expectAll(in: bench, ReasonLedger.old)
    let job = try GridJob("a")
    let last = ReasonLedger.old.count + ReasonLedger.waiting(of: ReasonLedger.old).count
    bench.keep(job.runs(last + 1, run: UInt64(last + 1)))
    bench.close()
    let report = try bench.audit()
    #expect(report.isBalanced, "\(report.findings)")
    #expect(report.verdictCounts.ran == last + 1)
    #expect(try ends(bench).last == RunEnd(.succeeded, .exit(0)))
  }

  @Test func `what is saved of a damaged ledger of that kind says the same`() throws {
    let (old, bench) = (try LedgerBench(), try LedgerBench())
    try old.makeFile("2-reasons")
    let new = try LedgerFile(folder: bench.folder.path)
    #expect(try LedgerSalvage.copy(from: old.path, into: new.database).isEmpty)
    new.close()
    try expectAll(in: bench, ReasonLedger.old)
  }

  @Test func `an attempt that failed and was then cancelled has the later reason alone`() throws {
    let (bench, job) = try LedgerBench.opened()
    bench.ledger?.record(job.load + job.begins(1, run: 1))
    bench.keep([job.waits(1, run: 1, RunEnd(.failed, .exit(7)))])
    bench.keep(job.ends(1, run: 1, RunEnd(.cancelled, .byOperator)))
    bench.close()
    #expect(try attempts(bench) == [RunEnd(.cancelled, .byOperator)])
    let number = try bench.sql { try Row.fetchOne($0, sql: "SELECT reason_number FROM attempts") }
    #expect(number?[0] == nil)
  }
}

/// Every kind of reason: of the runs 1, 2 … in this order, and then of those that wait for their next
/// attempt.
enum ReasonLedger {
  static let ended =
    old + notStarted(since) + [RunEnd(.failed, .outOfMemory), RunEnd(.cancelled, .leaseLost)]

  /// Those that `Tests/Data/ledgers/2-reasons.sql` has.
  static let old: [RunEnd] =
    [
      RunEnd(.succeeded, .exit(0)), RunEnd(.failed, .exit(1)), RunEnd(.failed, .exit(255)),
      RunEnd(.succeeded, .exit(3)), RunEnd(.failed, .signal(9)), RunEnd(.failed, .signal(15)),
      RunEnd(.succeeded, .done), RunEnd(.succeeded, .descendantsLeft(2)),
      RunEnd(.timedOut, .timeout), RunEnd(.failed, .failsWhen(.stderr)),
      RunEnd(.failed, .failsWhen(.stdout)), RunEnd(.failed, .failsWhen(.empty)),
      RunEnd(.cancelled, .replaced), RunEnd(.cancelled, .byOperator), RunEnd(.cancelled, .removed),
      RunEnd(.cancelled, .shutdown), RunEnd(.cancelled, .ledger), RunEnd(.interrupted, .down),
    ] + notStarted(StartStage.allCases.filter { !since.contains($0) })
    + reported.map { RunEnd(.failed, .reported($0)) }

  /// Stages that came later.
  private static let since: [StartStage] = [.nice, .inputOutput]

  /// Each stage, with numbers that have a name and one that has none.
  private static func notStarted(_ stages: [StartStage]) -> [RunEnd] {
    stages.flatMap { stage in
      (stage == .stuck ? [0] : [2, 13, 123]).map {
        RunEnd(.failed, .notStarted(stage, errno: $0))
      }
    }
  }

  /// Messages of built-ins and plugins, some of them in words that takt uses as well.
  private static let reported = [
    "status(500)", "timeout", "done", "down", "operator", "plugin(disk full)", "",
    "descendants_left(2)", "signal(x)", "exit(01)", "not_started(cwd, ENOWAY)",
    "fails_when(rain)", "größer, 'quoted' (twice)",
  ]

  static func waiting(of ended: [RunEnd]) -> [RunEnd] {
    ended.filter { [.failed, .timedOut].contains($0.outcome) }
  }

  static func entries(of job: GridJob) -> [LedgerEntry] {
    var entries: [LedgerEntry] = []
    for (number, end) in zip(1..., ended) {
      entries += job.begins(number, run: UInt64(number))
      entries += job.ends(number, run: UInt64(number), end)
    }
    for (number, end) in zip((ended.count + 1)..., waiting(of: ended)) {
      entries += job.begins(number, run: UInt64(number))
      entries.append(job.waits(number, run: UInt64(number), end))
    }
    return entries
  }
}
