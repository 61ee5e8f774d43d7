import Foundation
import GRDB
import Glibc
import Synchronization
import TaktCore
import TaktTime
import Testing

@testable import TaktStore

/// Whatever becomes of the disk: nobody waits, one line says so, and afterwards the ledger's counts
/// agree or say exactly what is lost.
@Suite struct LedgerFaultTests {
  @Test func `a ledger that another process has locked is filled when it is free again`() throws {
    let (bench, job) = try LedgerBench.begun()
    let other = try bench.lockedByAnother()
    bench.record(job, 1...500)
    #expect(bench.hasLogged("another process has locked it"))
    #expect(bench.ledger?.status.failure != nil)
    #expect(!bench.isKept(within: .milliseconds(100)))
    try other.release()
    #expect(bench.isKept())
    #expect(bench.hasLogged("the ledger can be written again"))
    #expect(bench.ledger?.status.failure == nil)
    try bench.expectBalance(slots: 500)
    #expect(bench.said.messages.withLock { $0.count { $0.contains("cannot be written") } } == 1)
  }

  @Test func `what memory has no room for is counted to the slot`() throws {
    var bounds = SQLiteLedger.Bounds()
    bounds.entriesMax = 100
    let (bench, job) = try LedgerBench.begun(bounds)
    let other = try bench.lockedByAnother()
    bench.record(job, 1...1)
    #expect(bench.hasLogged("another process has locked it"))
    bench.record(job, 2...500)
    try other.release()
    #expect(bench.isKept())
    bench.keep(job, 501...510)
    let lost = try #require(bench.ledger?.status.lostSlots)
    bench.close()
    let report = try bench.audit()
    #expect(lost > 300)
    #expect(report.lost == lost)
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(report.verdictCounts.slots == 510 - lost)
    #expect(report.losses.contains { $0.contains("a: \(lost) verdicts") }, "\(report.losses)")
    #expect(!report.isBalanced)
  }

  @Test(arguments: [false, true])
  func `a ledger that is deleted while it is open is put back whole`(withFolder: Bool) throws {
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job, 1...50)
    for suffix in ["", "-wal", "-shm"] { unlink(bench.path + suffix) }
    if withFolder { try FileManager.default.removeItem(at: bench.folder) }
    bench.keep(job, 51...99)
    #expect(bench.hasLogged("the ledger was deleted while it was open"))
    try bench.expectBalance(slots: 99)
  }

  @Test func `a ledger whose last page is damaged is written again, and says what is lost`() throws
  {
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job, 1...400)
    bench.close()
    try bench.damagePage(ofVerdict: "run = 400")
    try bench.open()
    bench.record(job, 401...401)
    #expect(bench.hasLogged("the ledger was damaged and has been rewritten"))
    #expect(bench.isKept())
    #expect(bench.said.renewals.withLock { $0 } == 1)
    bench.close()
    let report = try bench.audit()
    #expect(report.losses.contains { $0.contains("verdicts from row") }, "\(report.losses)")
    // The rows of the page are made again from the runs.
    #expect(report.verdictCounts.slots == 401)
    #expect(report.isBalanced, "\(report)")
    let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path)
    #expect(names.contains { $0.contains("damaged-") })
  }

  @Test func `unnoticed damage is searched for, and its loss is reported to the slot`()
    throws
  {
    var bounds = SQLiteLedger.Bounds()
    bounds.checkAfter = .milliseconds(10)
    let (bench, job) = try LedgerBench.begun()
    for index in 1...2000 {
      bench.ledger?.record([
        .verdict(
          VerdictRecord(
            job: job.name, slots: SlotSeries(job.slot(index)), verdict: .skipped(.overlap),
            at: job.slot(index))), job.mark(after: index),
      ])
    }
    bench.closeKept()
    try bench.damagePage(ofVerdict: "first = \(job.slot(1000).milliseconds)")
    try bench.open(bounds: bounds)
    usleep(20_000)
    bench.ledger?.record(job.runs(2001, run: 1))
    #expect(bench.hasLogged("the ledger was damaged and has been rewritten"))
    bench.closeKept()
    let report = try bench.audit()
    #expect(report.findings.isEmpty, "\(report.findings)")
    #expect(report.lost > 0 && report.lost < 200)
    #expect(report.verdictCounts.slots + report.lost == 2001)
  }

  @Test func `a log of writes that is deleted is noticed`() throws {
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job, 1...50)
    unlink(bench.path + "-wal")
    bench.keep(job, 51...51)
    #expect(bench.hasLogged("the ledger was deleted while it was open"))
    try bench.expectBalance(slots: 51)
  }

  @Test func `another file that is laid over the ledger does not end it`() throws {
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job, 1...1)
    let other = bench.folder.appendingPathComponent("other").path
    let database = try DatabaseQueue(path: other)
    try database.write { try $0.execute(sql: "CREATE TABLE other (x)") }
    try database.close()
    try bench.sql { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: other))
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: bench.path))
    try file.write(contentsOf: bytes)
    try file.truncate(atOffset: UInt64(bytes.count))
    try file.close()
    bench.record(job, 2...2)
    #expect(bench.hasLogged("the ledger was damaged and has been rewritten"))
    #expect(bench.isKept())
    #expect(bench.said.renewals.withLock { $0 } == 1)
    bench.close()
    _ = try bench.audit()
  }

  @Test(arguments: [
    "UPDATE jobs SET clock_label = NULL", "UPDATE jobs SET anchor = 'soon'",
    "UPDATE jobs SET clock_mark = 9223372036854775807, wall_mark = -9223372036854775807",
    "UPDATE jobs SET ahead = '9223372036854775807 1 2 3 4|1 2 3'",
    "UPDATE jobs SET streak = -1", "UPDATE schedules SET schedule = '{\"every\":-5}'",
    "UPDATE schedules SET schedule = 'none', anchor = x'00'",
    #"UPDATE schedules SET schedule = '{"rules":[{"calendar":"*:0/1","working":0,"gap":"x","overlap":"y","zone":"UTC"}]}'"#,
    #"UPDATE schedules SET schedule = '{"rules":[{"calendar":"*:0/1","working":24,"gap":"x","overlap":"y","zone":"UTC"}]}'"#,
    #"UPDATE schedules SET schedule = '{"rules":[{"cron":"* * * * *","nth":"9223372036854775807 weeks 2026-01-05","gap":"x","overlap":"y","zone":"UTC"}]}'"#,
    "UPDATE schedules SET clock_from = 9223372036854775807",
    "UPDATE verdicts SET first = -9223372036854775808, last = 9223372036854775807, count = 0",
    "UPDATE verdicts SET count = 9223372036854775807", "UPDATE verdicts SET verdict = x'ff'",
    "UPDATE runs SET run = -run, outcome = NULL", "UPDATE runs SET slot = 'x', outcome = NULL",
    "UPDATE attempts SET pid = -1, ended_at = NULL", "UPDATE jobs SET daemon = 4711",
    "INSERT INTO pending (job, slot) VALUES (1, 9223372036854775807)",
    "INSERT INTO losses (at, job, first, last, count, what, reason) VALUES (0, 1, 5, -5, -1, 'x', 'x')",
  ])
  func `nothing that stands in a ledger ends the process`(sql: String) throws {
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job, 1...3)
    bench.close()
    try bench.sql { try $0.execute(sql: sql) }
    _ = try? bench.audit()
    _ = try? LedgerArchive(folder: bench.folder.path).runs(RunQuery())
    try bench.open()
    bench.keep(job, 4...4)
    bench.close()
    _ = try? bench.audit()
  }

  @Test func `of a table with a damaged page both sides are saved`() throws {
    let (bench, job) = try LedgerBench.begun()
    bench.keep(job, 1...2000)
    bench.close()
    try bench.damagePage(ofVerdict: "run = 1000")
    let target = try LedgerBench()
    let new = try LedgerFile(folder: target.folder.path)
    let losses = try LedgerSalvage.copy(from: bench.path, into: new.database)
    let kept = try new.database.read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM verdicts") ?? 0
    }
    let lost = try #require(losses.first)
    #expect(losses.count == 1)
    #expect(lost.what.hasPrefix("verdicts, rows "))
    #expect(Int(lost.count) + kept == 2000, "\(losses), \(kept)")
    #expect(lost.count < 200)
    new.close()
  }

  @Test func `of so many things at once nothing is lost while the disk is well`() throws {
    var bounds = SQLiteLedger.Bounds()
    bounds.entriesMax = 100
    let (bench, job) = try LedgerBench.begun(bounds)
    bench.keep((1...1000).flatMap { job.runs($0, run: UInt64($0)) })
    try bench.expectBalance(slots: 1000)
  }

  @Test func `a ledger that is closed is not opened again`() throws {
    let (bench, job) = try LedgerBench.begun()
    let ledger = bench.ledger
    bench.close()
    unlink(bench.path)
    ledger?.record(job.runs(1, run: 1))
    let done = DispatchSemaphore(value: 0)
    ledger?.whenKept { done.signal() }
    #expect(done.wait(timeout: .now() + .milliseconds(500)) == .timedOut)
    #expect(!FileManager.default.fileExists(atPath: bench.path))
  }
}
