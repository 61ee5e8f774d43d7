import Foundation
import GRDB
import TaktCore
import Testing

@testable import TaktStore
import TaktTime

/// The archive that a daemon keeps open.
@Suite struct OpenedArchiveTests {
  @Test("it shows each run, also in a ledger that has taken the place of a lost one")
  func followsTheFile() throws {
    let bench = try LedgerBench()
    let job = try GridJob("a")
    let archive = OpenedArchive(folder: bench.folder.path)
    #expect(throws: ArchiveError.self) { try archive.runs(RunQuery()) }
    try bench.open()
    bench.keep(job.load + job.runs(1, run: 1))
    #expect(try archive.runs(RunQuery()).map { $0.head.run.number } == [1])
    bench.keep(job.runs(2, run: 2))
    #expect(try archive.runs(RunQuery()).map { $0.head.run.number } == [2, 1])
    for suffix in ["", "-wal", "-shm"] { unlink(bench.path + suffix) }
    bench.keep(job.runs(3, run: 3))
    #expect(try archive.runs(RunQuery()).map { $0.head.run.number }.first == 3)
    bench.close()
  }

  @Test("what walks through the ledger is answered as other questions are, until it is closed")
  func walks() throws {
    let bench = try LedgerBench()
    let job = try GridJob("a")
    let archive = OpenedArchive(folder: bench.folder.path)
    try bench.open()
    bench.keep(job.load + job.runs(1, run: 1))
    var slots = SlotQuery()
    slots.until = job.slot(9)
    let all = try archive.slots(slots)
    slots.walks = true
    #expect(try archive.slots(slots) == all && all.count == 1)
    let heat = HeatQuery(
      since: GridJob.begin, until: GridJob.begin + .seconds(86_400), zone: .utc, step: .day)
    #expect(try archive.heat(heat).cells.map(\.tally.runs) == [1])
    bench.close()
    archive.close()
    #expect(throws: ArchiveError.self) { try archive.slots(slots) }
    #expect(throws: ArchiveError.self) { try archive.heat(heat) }
  }

  @Test("a ledger whose tables a full disk did not take is named as that")
  func namesUnwritten() throws {
    let bench = try LedgerBench()
    // As much as a first start writes before its first table.
    let database = try DatabaseQueue(path: bench.path)
    try database.write { try $0.execute(sql: "CREATE TABLE first (a); DROP TABLE first") }
    try database.close()
    let expected = LedgerArchive.Failure.unwritten(path: bench.path)
    #expect(throws: expected) { try LedgerArchive(folder: bench.folder.path) }
    #expect(
      expected.sentence
        == "\(bench.path) has no tables, because takt could not write them, for example on a full "
        + "disk; the log of takt says why")
    #expect(throws: ArchiveError(expected.sentence)) {
      try OpenedArchive(folder: bench.folder.path).runs(RunQuery())
    }
  }

  @Test("it shows what became of the slots of a job in a time")
  func showsVerdicts() throws {
    let bench = try LedgerBench()
    let (job, other) = (try GridJob("a"), try GridJob("b"))
    let archive = OpenedArchive(folder: bench.folder.path)
    try bench.open()
    bench.ledger?.record(job.load + (1...9).flatMap { job.runs($0, run: UInt64($0)) })
    bench.keep(
      other.load + [
        .verdict(
          VerdictRecord(
            job: other.name, slots: SlotSeries(other.slot(3)), verdict: .skipped(.overlap),
            at: other.slot(3))),
        .verdict(
          VerdictRecord(
            job: other.name, slots: SlotSeries(other.slot(4)),
            verdict: .coalesced(into: other.slot(5)), at: other.slot(5))),
      ])
    var query = VerdictQuery(jobs: [job.name], since: job.slot(4), before: job.slot(8), limit: 100)
    #expect(try archive.verdicts(query).map { $0.run?.number } == [7, 6, 5, 4])
    query.limit = 2
    #expect(try archive.verdicts(query).map { $0.run?.number } == [7, 6])
    query.jobs = [other.name]
    query.since = job.slot(0)
    #expect(
      try archive.verdicts(query).map(\.verdict) == [
        .coalesced(into: other.slot(5)), .skipped(.overlap),
      ])
    // Of all jobs together, those that were written last.
    query.jobs = nil
    query.limit = 3
    query.before = WallInstant(milliseconds: .max)
    #expect(
      try archive.verdicts(query).map { "\($0.job) \($0.verdict.name)" } == [
        "b coalesced", "b skipped", "a ran",
      ])
    bench.close()
  }

  @Test("once it is closed it answers nothing, and the ledger leaves no write-ahead log")
  func closes() throws {
    let bench = try LedgerBench()
    try bench.open()
    let archive = OpenedArchive(folder: bench.folder.path)
    #expect(try archive.runs(RunQuery()).isEmpty)
    archive.close()
    #expect(throws: ArchiveError.self) { try archive.runs(RunQuery()) }
    bench.close()
    #expect(!FileManager.default.fileExists(atPath: bench.path + "-wal"))
  }

  @Test func `an archive that a reader has and that is closed meanwhile ends no process`() throws {
    let (bench, job) = try kept(9)
    let archive = try LedgerArchive(folder: bench.folder.path)
    archive.close()
    archive.close()
    archive.releaseMemory()
    let closed = LedgerArchive.Failure.unreadable(path: bench.path, reason: "it is closed")
    #expect(throws: closed) { try archive.runs(RunQuery()) }
    #expect(throws: closed) { try archive.run(RunID(1)) }
    #expect(throws: closed) { try archive.outputs(of: RunID(1)) }
    #expect(throws: closed) { try archive.backfilledSlots(of: job.name) }
    #expect(throws: closed) { try archive.jobNames() }
    #expect(throws: closed) { try archive.statistics() }
    #expect(throws: closed) { try archive.previous(boot: "this", zones: TestZones()) }
    #expect(throws: closed) { try archive.audit(zones: TestZones()) }
    let query = VerdictQuery(jobs: nil, since: job.slot(0), before: job.slot(9), limit: 9)
    #expect(throws: closed) { try archive.verdicts(query) }
    #expect(throws: closed) { try archive.absences(from: job.slot(0), to: job.slot(9)) }
    bench.close()
  }

  @Test func `readers in all threads get an answer or a refusal while the archive is closed`()
    throws
  {
    let (bench, job) = try kept(50)
    for _ in 0..<40 {
      let archive = OpenedArchive(folder: bench.folder.path)
      DispatchQueue.concurrentPerform(iterations: 9) { index in
        guard index > 0 else { return archive.close() }
        for _ in 0..<4 {
          _ = try? archive.runs(RunQuery())
          _ = try? archive.outputs(of: RunID(1))
          _ = try? archive.absences(from: job.slot(0), to: job.slot(50))
        }
      }
      #expect(throws: ArchiveError.self) { try archive.runs(RunQuery()) }
    }
    bench.close()
  }

  private func kept(_ count: Int) throws -> (LedgerBench, GridJob) {
    let (bench, job) = (try LedgerBench(), try GridJob("a"))
    try bench.open()
    bench.keep(job.load + (1...count).flatMap { job.runs($0, run: UInt64($0)) })
    return (bench, job)
  }
}
