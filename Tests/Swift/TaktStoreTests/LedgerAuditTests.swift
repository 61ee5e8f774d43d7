import GRDB
import TaktCore
import Testing

@testable import TaktStore
import FoundationEssentials
import TaktTime

/// A lost, doubled or changed record is found.
@Suite struct LedgerAuditTests {
  /// The ledger of one job: slots 1 to 9 ran, 10 to 19 were skipped as one series, 20 to 29 ran.
  private func benchWithSlots() throws -> (LedgerBench, GridJob) {
    let (bench, job) = try LedgerBench.opened()
    bench.ledger?.record(job.load)
    for index in 1...9 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    bench.ledger?.record([
      .verdict(
        VerdictRecord(
          job: job.name,
          slots: SlotSeries(first: job.slot(10), last: job.slot(19), count: 10),
          verdict: .skipped(.overlap), at: job.slot(19))), job.mark(after: 19),
    ])
    for index in 20...29 { bench.ledger?.record(job.runs(index, run: UInt64(index))) }
    bench.closeKept()
    return (bench, job)
  }

  @Test func `in an untouched ledger every slot is accounted for`() throws {
    let (bench, _) = try benchWithSlots()
    let report = try bench.audit()
    #expect(report.isBalanced)
    #expect(
      "\(report.verdictCounts)"
        == "slots 29 = ran 19 + skipped 10 + coalesced 0 + missed 0 + cancelled 0"
    )
  }

  @Test(arguments: [
    ("DELETE FROM verdicts WHERE first = SLOT5", "missing: SLOT5"),
    ("DELETE FROM verdicts WHERE run = 29", "missing: SLOT29"),
    ("DELETE FROM verdicts WHERE count = 10", "missing: 10 slots"),
    (
      "INSERT INTO verdicts (job, first, last, count, verdict, run, at) "
        + "SELECT job, first, last, count, verdict, run, at FROM verdicts WHERE run = 5",
      "doubled: SLOT5"
    ),
    ("UPDATE verdicts SET last = last + 1000 WHERE run = 5", "miscounted"),
    ("UPDATE verdicts SET last = last + 1000, count = 2 WHERE run = 5", "doubled: SLOT6"),
    ("UPDATE verdicts SET last = last + 1000, count = 11 WHERE count = 10", "doubled: SLOT20"),
    ("UPDATE verdicts SET first = first + 1000, count = 9 WHERE count = 10", "missing: SLOT10"),
    ("UPDATE verdicts SET first = first + 1, last = last + 1 WHERE run = 5", "unexpected"),
    ("UPDATE verdicts SET count = 9 WHERE count = 10", "miscounted"),
    ("DELETE FROM runs WHERE run = 7", "run 7: no run"),
    ("UPDATE verdicts SET run = 8 WHERE run = 7", "run 7: no verdict"),
    (
      "UPDATE verdicts SET detail = 'full_moon' WHERE count = 10",
      "unknown: 10 slots, SLOT10 to SLOT19 (skipped(full_moon))"
    ),
    ("UPDATE verdicts SET detail = NULL WHERE count = 10", "unknown: 10 slots"),
    ("UPDATE verdicts SET verdict = 'dreamt' WHERE run = 5", "unknown: SLOT5 (dreamt)"),
    ("UPDATE jobs SET wall_mark = 1 << 52", "implausible"),
    ("UPDATE jobs SET clock_mark = -(1 << 52)", "implausible"),
  ])
  func `a meddled record is found`(sql: String, finding: String) throws {
    let (bench, job) = try benchWithSlots()
    var (sql, finding) = (sql, finding)
    for index in [5, 6, 10, 19, 20, 29].reversed() {
      sql = sql.replacing("SLOT\(index)", with: String(job.slot(index).milliseconds))
      finding = finding.replacing("SLOT\(index)", with: job.slot(index).rfc3339())
    }
    try bench.sql { [sql] in try $0.execute(sql: sql) }
    let report = try bench.audit()
    #expect(!report.isBalanced)
    #expect(
      report.findings.contains { "\($0)".contains(finding) }, "\(report.findings), not \(finding)")
  }

  @Test func `an unknown reason is counted under no verdict`() throws {
    let (bench, _) = try benchWithSlots()
    try bench.sql {
      try $0.execute(sql: "UPDATE verdicts SET detail = 'full_moon' WHERE count = 10")
    }
    let report = try bench.audit()
    #expect(report.verdictCounts.counts == ["ran": 19])
    #expect(report.findingCount == 1, "\(report.findings)")
  }

  @Test(arguments: [
    // Beyond what a clock shows, and at its very end. Of two expressions each slot is computed by
    // itself, of one whole days are counted.
    (Int64(1) << 52, 2, "implausible", 40_000),
    (Int64.max / 1_000_000 - 1, 2, "no further counted", 40_000),
    (Int64.max / 1_000_000 - 1, 1, "no further counted", 32_000_000),
  ])
  func `a mark in the far future is reported after a bounded count`(
    mark: Int64, expressions: Int, finding: String, countMax: Int
  ) throws {
    let (bench, job) = try LedgerBench.opened()
    bench.keep(job.load)
    bench.close()
    let rules = ["* * * * * *", "30 * * * * *"].prefix(expressions).map {
      #"{"cron":"\#($0)","days":"any","gap":"run_after","overlap":"first","zone":"UTC"}"#
    }
    try bench.sql {
      try $0.execute(
        sql: "UPDATE schedules SET schedule = ?; UPDATE jobs SET wall_mark = ?",
        arguments: ["{\"rules\":[\(rules.joined(separator: ","))]}", mark])
    }
    let report = try LedgerArchive(folder: bench.folder.path).audit(
      zones: TestZones(), countableMax: 20_000)
    #expect(report.findings.contains { "\($0)".contains(finding) }, "\(report.findings)")
    // What is counted goes little beyond the bound.
    #expect(report.findings.allSatisfy { $0.slots.count < countMax })
  }

  @Test func `only what is asked for is looked at, and a series that began before by its rest`()
    throws
  {
    let (bench, job) = try benchWithSlots()
    try bench.sql { try $0.execute(sql: "DELETE FROM verdicts WHERE run = 5") }
    let report = try LedgerArchive(folder: bench.folder.path).audit(
      since: job.slot(15), zones: TestZones())
    #expect(report.isBalanced, "\(report.findings)")
    #expect(report.verdictCounts.slots == 14)
  }
}
