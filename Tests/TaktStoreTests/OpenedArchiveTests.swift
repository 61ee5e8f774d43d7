import Foundation
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
    bench.ledger?.record(job.load + job.runs(1, run: 1))
    #expect(bench.isKept())
    #expect(try archive.runs(RunQuery()).map { $0.head.run.number } == [1])
    bench.ledger?.record(job.runs(2, run: 2))
    #expect(bench.isKept())
    #expect(try archive.runs(RunQuery()).map { $0.head.run.number } == [2, 1])
    for suffix in ["", "-wal", "-shm"] { unlink(bench.path + suffix) }
    bench.ledger?.record(job.runs(3, run: 3))
    #expect(bench.isKept())
    #expect(try archive.runs(RunQuery()).map { $0.head.run.number }.first == 3)
    bench.close()
  }

  @Test("it shows what became of the slots of a job in a time")
  func showsVerdicts() throws {
    let bench = try LedgerBench()
    let (job, other) = (try GridJob("a"), try GridJob("b"))
    let archive = OpenedArchive(folder: bench.folder.path)
    try bench.open()
    bench.ledger?.record(job.load + (1...9).flatMap { job.runs($0, run: UInt64($0)) })
    bench.ledger?.record(
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
    #expect(bench.isKept())
    var query = VerdictQuery(
      jobs: [job.name], since: job.slot(4), before: job.slot(8), limit: 100)
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
}
