import GRDB
import TaktCore
import Testing

@testable import TaktStore
import TaktTime
import FoundationEssentials

/// Entries that are too old, too many or too large are deleted, and the others still balance.
@Suite struct LedgerRetentionTests {
  /// A thousand slots of a second each, with runs that printed something.
  private func benchWithSlots() throws -> (LedgerBench, GridJob) {
    let (bench, job) = try LedgerBench.opened()
    bench.ledger?.record(job.load)
    for index in 1...1000 {
      bench.ledger?.record(
        job.begins(index, run: UInt64(index))
          + job.ends(index, run: UInt64(index), output: KeptOutput(head: Array("hello\n".utf8))))
    }
    bench.closeKept()
    return (bench, job)
  }

  private func prune(_ bench: LedgerBench, _ history: History, at now: WallInstant) throws {
    let retention = LedgerRetention(history: history, startingAt: MonotonicInstant(nanoseconds: 0))
    try bench.sql { db in
      var hasMore = true
      while hasMore { hasMore = try retention.prune(db, at: now) }
    }
  }

  private func counts(_ bench: LedgerBench) throws -> [String: Int] {
    try bench.sql { db in
      var counts: [String: Int] = [:]
      for table in ["verdicts", "runs", "attempts", "outputs"] {
        counts[table] = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")
      }
      return counts
    }
  }

  @Test(arguments: [false, true])
  func `what is older than it is kept goes, also if the clock was behind, and the rest balances`(
    wasBehind: Bool
  ) throws {
    let (bench, job) = try benchWithSlots()
    try bench.sql { db in
      let times = [("verdicts", "id", "at"), ("runs", "run", "ended_at"), ("outputs", "run", "at")]
      for (table, key, time) in times where wasBehind {
        try db.execute(
          sql: "UPDATE \(table) SET \(time) = \(time) - 3600000 WHERE \(key) BETWEEN 980 AND 990")
      }
    }
    var history = History()
    history.keep = .seconds(400)
    history.output = .seconds(100)
    try prune(bench, history, at: job.slot(1000))
    #expect(try counts(bench) == ["verdicts": 401, "runs": 401, "attempts": 401, "outputs": 101])
    let report = try bench.audit()
    #expect(report.isBalanced, "\(report.findings)")
    #expect(report.verdictCounts.slots == 401)
    #expect(report.since == job.slot(599))
  }

  @Test func `an ended schedule stays as long as verdicts on its slots that came late`() throws {
    let (bench, job) = try benchWithSlots()
    try bench.open()
    let end = ScheduleInstant(job.slot(1000))
    bench.keep([
      .scheduleEnded(job.name, ScheduleEdge(clock: end, wall: end, at: job.slot(1000)))
    ])
    bench.close()
    try bench.sql { try $0.execute(sql: "UPDATE verdicts SET at = at + 60000 WHERE id > 990") }
    var history = History()
    history.keep = .seconds(30)
    try prune(bench, history, at: job.slot(1060))
    #expect(try counts(bench)["verdicts"] == 10)
    let report = try bench.audit()
    #expect(report.isBalanced, "\(report.findings)")
    try prune(bench, history, at: job.slot(2000))
    let left = try bench.sql { try Int.fetchOne($0, sql: "SELECT count(*) FROM schedules") }
    #expect(try counts(bench)["verdicts"] == 0 && left == 0)
  }

  @Test func `a clock that is ahead for a while makes nothing old`() throws {
    let (bench, job) = try benchWithSlots()
    let database = try DatabaseQueue(path: bench.path)
    var retention = LedgerRetention(
      history: History(), startingAt: MonotonicInstant(nanoseconds: 0))
    func round(_ minutes: Int64, at wall: WallInstant) throws {
      let now = Now(wall: wall, monotonic: MonotonicInstant(nanoseconds: minutes * 60_000_000_000))
      while try retention.step(database, at: now) {}
    }
    let later = job.slot(1000) + .seconds(10 * 365 * 86_400)
    try round(1, at: job.slot(1000))
    try round(20, at: later)
    #expect(try counts(bench)["verdicts"] == 1000)
    // What it still says after ten minutes is true.
    try round(40, at: later + .seconds(1200))
    #expect(try counts(bench)["verdicts"] == 0)
  }

  @Test func `more runs than are kept go, the oldest first, and their verdicts stay`() throws {
    let (bench, job) = try benchWithSlots()
    var history = History()
    history.runsMax = 300
    try prune(bench, history, at: job.slot(1000))
    #expect(try counts(bench) == ["verdicts": 1000, "runs": 300, "attempts": 300, "outputs": 300])
    #expect(try bench.audit().isBalanced)
    #expect(try LedgerArchive(folder: bench.folder.path).run(RunID(700)) == nil)
    #expect(try LedgerArchive(folder: bench.folder.path).run(RunID(701)) != nil)
  }

  @Test func `a run that has no end is kept, however old it is`() throws {
    let (bench, job) = try benchWithSlots()
    try bench.open()
    bench.keep(job.begins(1001, run: 1001))
    bench.close()
    var history = History()
    history.keep = .seconds(60)
    try prune(bench, history, at: job.slot(5000))
    #expect(try counts(bench)["runs"] == 1)
    try bench.open()
    #expect(bench.findings.previous.runs.map(\.head.run) == [RunID(1001)])
    bench.close()
  }

  @Test func `a run whose next attempt is left to the next takt is kept, however old it is`() throws
  {
    let (bench, job) = try benchWithSlots()
    try bench.open()
    let end = RunEnd(.failed, .exit(1))
    let retry = RetryPosition(attempt: 1, until: job.slot(9000), end: end)
    bench.keep(
      job.begins(1001, run: 1001) + [
        .ended(
          RunRecord(
            job.head(1001, run: 1001), attempts: 1, end: RunEnd(.cancelled, .shutdown),
            endedAt: job.slot(1001), duration: .zero, retry: retry))
      ])
    bench.close()
    var history = History()
    history.keep = .seconds(60)
    try prune(bench, history, at: job.slot(5000))
    #expect(try counts(bench)["runs"] == 1)
    try bench.open()
    #expect(bench.findings.previous.runs.map(\.retry) == [retry])
    bench.close()
  }

  @Test func `a ledger that is too large loses its oldest entries until it is not`() throws {
    let (bench, job) = try benchWithSlots()
    var history = History()
    history.sizeBytesMax = 40_000
    try prune(bench, history, at: job.slot(1000))
    let left = try #require(try counts(bench)["verdicts"])
    #expect(left < 1000)
    try bench.sql { try $0.execute(sql: "PRAGMA incremental_vacuum") }
    #expect(try bench.audit().isBalanced)
  }
}
