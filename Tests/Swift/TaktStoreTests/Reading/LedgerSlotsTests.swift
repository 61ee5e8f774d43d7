import Foundation
import TaktTime
import Testing

@testable import TaktCore
@testable import TaktStore

/// Decided slots of all jobs, as `takt slots` lists them.
@Suite struct LedgerSlotsTests {
  private static func at(_ seconds: Int64) -> WallInstant {
    WallInstant(milliseconds: 1_790_000_000_000 + seconds * 1000)
  }

  /// Two jobs with a slot each ten seconds: `a` runs, but for a series that was missed; `b` is skipped
  /// or left to another machine.
  private func archive(_ bench: LedgerBench) throws -> LedgerArchive {
    let (a, b) = (try GridJob("a"), try GridJob("b"))
    try bench.open()
    bench.ledger?.record(a.load)
    bench.ledger?.record(b.load)
    func verdict(
      _ job: String, _ first: Int64, to last: Int64? = nil, _ verdict: Verdict, run: UInt64? = nil
    ) throws -> LedgerEntry {
      let last = last ?? first
      return .verdict(
        VerdictRecord(
          job: try #require(JobName(job)),
          slots: SlotSeries(
            first: Self.at(first), last: Self.at(last), count: Int(last - first) / 10 + 1),
          verdict: verdict, at: Self.at(last + 1), run: run.map { RunID($0) }))
    }
    bench.ledger?.record([
      try verdict("a", 0, .ran, run: 1), try verdict("b", 0, .skipped(.overlap)),
      try verdict("a", 10, to: 50, .missed(.down)), try verdict("b", 10, .skipped(.elsewhere)),
      try verdict("a", 60, .ran, run: 2), try verdict("b", 60, .skipped(.condition)),
    ])
    #expect(bench.isKept())
    bench.close()
    return try LedgerArchive(folder: bench.folder.path)
  }

  private func shown(_ archive: LedgerArchive, _ change: (inout SlotQuery) -> Void) throws
    -> [String]
  {
    var query = SlotQuery()
    change(&query)
    return try archive.slots(query).map { slot in
      let seconds = (slot.record.slots.first - Self.at(0)).milliseconds / 1000
      return "\(slot.record.job) \(seconds) \(slot.record.verdict)"
    }
  }

  @Test func `slots are found by time, job, and whether they ran`() throws {
    let bench = try LedgerBench()
    let archive = try archive(bench)
    #expect(try shown(archive) { _ in }.count == 6)
    let notRun = ["b 60 skipped(condition)", "a 10 missed(down)", "b 0 skipped(overlap)"]
    #expect(try shown(archive) { $0.notRunOnly = true } == notRun)
    // A series that begins before the range reaches into it.
    #expect(
      try shown(archive) {
        $0.notRunOnly = true
        $0.since = Self.at(30)
        $0.until = Self.at(60)
      } == ["a 10 missed(down)"])
    let job = try #require(JobName("a"))
    #expect(
      try shown(archive) {
        $0.job = job
        $0.since = Self.at(30)
      } == ["a 60 ran", "a 10 missed(down)"])
    #expect(
      try shown(archive) {
        $0.job = job
        $0.limit = 1
      } == ["a 60 ran"])
    #expect(try archive.notRunCounts(of: nil, since: nil) == ["a": 5, "b": 2])
    #expect(try archive.notRunCounts(of: job, since: Self.at(60)).isEmpty)
  }

  @Test func `lists and counts agree on which verdicts mean that a slot did not run`() throws {
    let verdicts: [Verdict] =
      [.ran, .coalesced(into: Self.at(1000)), .cancelled(.byOperator)]
      + SkipReason.allCases.map { .skipped($0) } + MissCause.allCases.map { .missed($0) }
    let bench = try LedgerBench()
    let job = try GridJob("a")
    try bench.open()
    bench.ledger?.record(job.load)
    let name = try #require(JobName("a"))
    for (place, verdict) in verdicts.enumerated() {
      let slot = Self.at(Int64(place) * 10)
      let slots = SlotSeries(first: slot, last: slot, count: 1)
      bench.ledger?.record([
        .verdict(
          VerdictRecord(
            job: name, slots: slots, verdict: verdict, at: slot + .seconds(1),
            run: verdict == .ran ? RunID(1) : nil))
      ])
    }
    #expect(bench.isKept())
    bench.close()
    let archive = try LedgerArchive(folder: bench.folder.path)
    var query = SlotQuery()
    query.notRunOnly = true
    let listed = Set(try archive.slots(query).map(\.record.verdict))
    #expect(listed == Set(verdicts.filter(\.didNotRun)))
    #expect(try archive.notRunCounts(of: nil, since: nil) == ["a": listed.count])
    let meant: Set<Verdict> = [.ran, .coalesced(into: Self.at(1000))]
    let left: [SkipReason] = [.suspended, .excluded, .limit, .elsewhere]
    #expect(Set(verdicts).subtracting(listed) == meant.union(left.map { .skipped($0) }))
  }
}
