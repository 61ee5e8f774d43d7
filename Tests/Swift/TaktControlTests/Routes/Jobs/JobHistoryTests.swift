import TaktTime
import Testing

@testable import TaktControl
@testable import TaktCore

@Suite struct JobHistoryTests {
  @Test func `a slot counts as not run by the same rule as in the ledger`() throws {
    let job = try #require(JobName("a"))
    let slot = WallInstant(milliseconds: 1_790_000_000_000)
    let verdicts: [Verdict] =
      [.ran, .coalesced(into: slot), .cancelled(.removed)]
      + SkipReason.allCases.map { .skipped($0) } + MissCause.allCases.map { .missed($0) }
    for verdict in verdicts {
      let record = VerdictRecord(
        job: job, slots: SlotSeries(first: slot, last: slot, count: 1), verdict: verdict, at: slot)
      var (known, restored) = (JobHistory(), JobHistory())
      known.decide(record)
      restored.decideOlder(record)
      for history in [known, restored] {
        #expect(history.notRunCount == (verdict.didNotRun ? 1 : 0), "\(verdict)")
        #expect((history.passed != nil) == verdict.didNotRun, "\(verdict)")
      }
    }
  }
}
