import GRDB
import TaktCore
import Testing

@testable import TaktStore

/// Jobs that the ledger does not know, few or very many at once.
@Suite struct LedgerNewJobsTests {
  /// More than the ledger remembers the numbers of, and no multiple of what one statement inserts.
  private static let many = JobNumbers.countMax + 1_013

  private func jobs(_ numbers: Range<Int>) throws -> [GridJob] {
    try numbers.map { try GridJob("job\($0)", everyMilliseconds: Int64(1000 + $0)) }
  }

  /// All first loads in one turn: the schedules, then the marks, as the scheduler tells them.
  private func load(_ jobs: [GridJob]) -> [LedgerEntry] {
    jobs.map { $0.load[0] } + jobs.map { $0.load[1] }
  }

  @Test func `each of very many new jobs is found again with its schedule and its mark`() throws {
    let bench = try LedgerBench()
    let jobs = try jobs(0..<Self.many)
    try bench.open()
    bench.keep(load(jobs))
    // A slot of each, of which the ledger no longer knows all numbers.
    bench.keep(jobs.enumerated().flatMap { $1.runs(1, run: UInt64($0 + 1)) })
    bench.close()
    try bench.open()
    let previous = bench.findings.previous
    #expect(previous.jobs.count == Self.many)
    for job in jobs {
      let found = try #require(previous.jobs[job.name])
      #expect(LedgerEntry.checkpoint(found.checkpoint) == job.mark(after: 1))
      #expect(LedgerEntry.schedule(found.version) == job.load[0])
    }
    bench.close()
    let report = try bench.audit()
    #expect(report.isBalanced, "\(report.findings.prefix(5))")
    #expect(report.verdictCounts.ran == Self.many)
  }

  @Test func `new jobs beside known ones get numbers of their own`() throws {
    let bench = try LedgerBench()
    let (old, new) = (try jobs(0..<25), try jobs(25..<70))
    try bench.open()
    bench.ledger?.record(load(old))
    bench.close()
    try bench.open()
    bench.ledger?.record(load(new) + old.flatMap { $0.runs(1, run: UInt64($0.interval)) })
    bench.close()
    try bench.open()
    #expect(Set(bench.findings.previous.jobs.keys) == Set((old + new).map(\.name)))
    for job in new {
      let found = bench.findings.previous.jobs[job.name]
      #expect(found?.version.schedule.every?.interval == .milliseconds(job.interval))
    }
    bench.close()
    #expect(try bench.audit().isBalanced)
  }

  @Test func `a new job whose schedule changes at once has both, the first of them ended`() throws {
    let bench = try LedgerBench()
    let (first, second) = (try GridJob("a"), try GridJob("a", everyMilliseconds: 500))
    try bench.open()
    bench.keep(first.load + second.load)
    bench.close()
    let schedules = try bench.sql { db in
      try String.fetchAll(
        db, sql: "SELECT schedule || iif(ended_at IS NULL, '', ' ended') FROM schedules")
    }
    #expect(
      schedules == [#"{"every":1000,"from":"start"} ended"#, #"{"every":500,"from":"start"}"#])
  }

  @Test func `a job removed before it was written has a schedule that has ended`() throws {
    let bench = try LedgerBench()
    let job = try GridJob("a")
    let edge = ScheduleEdge(clock: 1, wall: 1, at: GridJob.begin)
    try bench.open()
    bench.keep(job.load + [.scheduleEnded(job.name, edge)])
    bench.close()
    try bench.open()
    #expect(bench.findings.previous.jobs[job.name]?.isOpen == false)
    bench.close()
  }

  @Test func `a new job is kept beside one whose number somebody has made the highest`() throws {
    let bench = try LedgerBench()
    let (old, new) = (try GridJob("a"), try GridJob("b"))
    try bench.open()
    bench.ledger?.record(old.load)
    bench.close()
    try bench.sql { db in
      try db.execute(
        sql: """
          PRAGMA foreign_keys = OFF;
          UPDATE schedules SET job = 9223372036854775807;
          UPDATE jobs SET id = 9223372036854775807
          """)
    }
    try bench.open()
    bench.keep(new.load + old.load + old.runs(1, run: 1))
    bench.close()
    try bench.open()
    #expect(Set(bench.findings.previous.jobs.keys) == [old.name, new.name])
    bench.close()
  }
}
