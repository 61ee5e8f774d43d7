import Foundation
import GRDB
import TaktTesting
import TaktTime
import Testing

@testable import TaktCore
@testable import TaktStore

/// Heat maps and mean durations from a ledger.
@Suite struct LedgerHeatTests {
  private static func query(_ job: JobName? = nil) -> HeatQuery {
    HeatQuery(
      job: job, since: GridJob.begin - .seconds(86_400),
      until: GridJob.begin + .seconds(86_400 * 3),
      zone: .utc, step: .day)
  }

  /// Two jobs with a slot an hour: `a` runs and fails, `b` does not run.
  private func archive(_ bench: LedgerBench, isDamaged: Bool = true) throws -> LedgerArchive {
    let (a, b) = (
      try GridJob("a", everyMilliseconds: 3_600_000), try GridJob("b", everyMilliseconds: 3_600_000)
    )
    try bench.open()
    for job in [a, b] { bench.ledger?.record(job.load) }
    bench.ledger?.record(a.runs(1, run: 1))
    bench.ledger?.record(a.begins(2, run: 2) + a.ends(2, run: 2, RunEnd(.failed, .exit(1))))
    // One that has not ended.
    bench.ledger?.record(a.begins(3, run: 3))
    bench.ledger?.record([
      .verdict(
        VerdictRecord(
          job: b.name, slots: SlotSeries(first: b.slot(1), last: b.slot(5), count: 5),
          verdict: .missed(.down), at: b.slot(6))),
      .verdict(
        VerdictRecord(
          job: b.name, slots: SlotSeries(b.slot(6)), verdict: .skipped(.elsewhere), at: b.slot(6))),
    ])
    #expect(bench.isKept())
    try bench.sql {
      try $0.execute(sql: "UPDATE runs SET used = '[250000,50000,null,0,0,1,2]' WHERE run = 1")
      if isDamaged { try $0.execute(sql: "UPDATE runs SET used = 'garbage' WHERE run = 2") }
    }
    bench.close()
    return try LedgerArchive(folder: bench.folder.path)
  }

  @Test func `runs, failures, slots that did not run, durations and processor time are counted`()
    throws
  {
    let bench = try LedgerBench()
    let archive = try archive(bench)
    let all = try archive.heat(Self.query()).cells.reduce(into: HeatMap.Tally()) { sum, cell in
      sum.runs += cell.tally.runs
      sum.failures += cell.tally.failures
      sum.notRun += cell.tally.notRun
      sum.cpu += cell.tally.cpu
      sum.measuredRuns += cell.tally.measuredRuns
      sum.timedRuns += cell.tally.timedRuns
    }
    #expect(all.runs == 2 && all.failures == 1 && all.notRun == 5)
    #expect(all.cpu == .milliseconds(300) && all.measuredRuns == 1 && all.timedRuns == 2)
    let b = try archive.heat(Self.query(JobName("b")))
    #expect(b.cells.allSatisfy { $0.tally.runs == 0 } && !b.cells.isEmpty)
    #expect(try archive.heat(Self.query(JobName("none"))).cells.isEmpty)
    #expect(try archive.meanDurations() == [try #require(JobName("a")): .milliseconds(10)])
  }

  @Test func `a heat map is the same by way of runs and verdicts`() throws {
    let bench = try LedgerBench()
    let archive = try archive(bench, isDamaged: false)
    let plain = PlainArchive(archive: archive)
    let (fast, slow) = (try archive.heat(Self.query()), try plain.heat(Self.query()))
    #expect(fast.cells.map(\.tally.runs) == slow.cells.map(\.tally.runs))
    #expect(fast.cells.map(\.tally.notRun) == slow.cells.map(\.tally.notRun))
    #expect(fast.cells.map(\.tally.meanDuration) == slow.cells.map(\.tally.meanDuration))
  }
}

/// An archive without a heat map of its own.
private struct PlainArchive: RunArchive {
  let archive: LedgerArchive

  private func read<Value>(
    _ body: () throws(LedgerArchive.Failure) -> Value
  ) throws(ArchiveError) -> Value {
    do throws(LedgerArchive.Failure) { return try body() } catch {
      throw ArchiveError(error.sentence)
    }
  }

  func runs(_ query: RunQuery) throws(ArchiveError) -> [StoredRun] {
    try read { () throws(LedgerArchive.Failure) in try archive.runs(query) }
  }
  func run(_ number: RunID) throws(ArchiveError) -> StoredRun? { nil }
  func outputs(of number: RunID) throws(ArchiveError) -> [StoredOutput] { [] }
  func verdicts(_ query: VerdictQuery) throws(ArchiveError) -> [VerdictRecord] {
    try read { () throws(LedgerArchive.Failure) in try archive.verdicts(query) }
  }
  func absences(
    from first: WallInstant, to last: WallInstant
  ) throws(ArchiveError) -> [DaemonAbsence] { [] }
}
