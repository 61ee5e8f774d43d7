import TaktCore
import TaktTime
import Testing

@testable import TaktStore
@testable import takt

/// The answers of `takt why`, from rows of the ledger.
@Suite struct SlotWordsTests {
  private static let slot = WallInstant(milliseconds: 1_790_000_000_000)

  private func at(_ seconds: Int64) -> WallInstant { Self.slot + .seconds(seconds) }

  private func run(_ number: UInt64, began: Int64, ended: Int64?, attempts: Int = 1) throws
    -> StoredRun
  {
    StoredRun(
      RunHead(run: RunID(number), job: try #require(JobName("a")), slot: Self.slot),
      beganAt: at(began), endedAt: ended.map(at), duration: ended.map { .seconds($0 - began) },
      attempts: attempts, end: ended == nil ? nil : RunEnd(.succeeded, .exit(0)))
  }

  private func evidence(_ verdict: Verdict, run number: UInt64? = nil) throws -> SlotEvidence {
    SlotEvidence(
      record: VerdictRecord(
        job: try #require(JobName("a")), slots: SlotSeries(Self.slot), verdict: verdict, at: at(9),
        run: number.map { RunID($0) }))
  }

  private func lines(_ evidence: SlotEvidence) -> [String] {
    SlotWords(job: "a", zone: .utc).lines(of: evidence)
  }

  private let heading = "a, slot 2026-09-21T14:13:20.000Z"

  @Test func `a run in time needs no reason`() throws {
    var evidence = try evidence(.ran, run: 7)
    evidence.run = try run(7, began: 0, ended: 3)
    evidence.lateness = .milliseconds(2)
    #expect(
      lines(evidence) == [
        "\(heading): ran, run 7",
        "  It started at 2026-09-21T14:13:20.000Z, 2 ms after it was due.",
        "  Run 7 succeeded: exit(0), took 3 s.",
      ])
  }

  @Test func `a late start names what it waited for`() throws {
    var late = try evidence(.ran, run: 7)
    late.run = try run(7, began: 20, ended: nil)
    late.lateness = .seconds(20)
    #expect(
      lines(late).contains {
        $0.contains("it is the job's leeway, or takt or the machine was busy")
      })
    late.activeCount = 3
    #expect(lines(late).contains { $0.contains("3 other runs were active when it was due") })
    late.blocking = try run(6, began: -60, ended: 20)
    #expect(
      lines(late).contains(
        "  It waited for run 6 of the job, started at 2026-09-21T14:12:20.000Z, ended at "
          + "2026-09-21T14:13:40.000Z."))
    late.claimedAt = at(18)
    #expect(lines(late).contains { $0.contains("It waited 2 s for the ledger") })
    late.absences = [SlotEvidence.Absence(from: at(-5), to: at(19), wasKilled: false)]
    #expect(
      lines(late).contains(
        "  takt was stopped at 2026-09-21T14:13:15.000Z, and started again at 2026-09-21T14:13:39.000Z."
      ))
    late.steps = [SlotEvidence.ClockStep(at: at(10), by: .seconds(-3600))]
    #expect(lines(late).contains { $0.contains("The system clock was set by -1h at") })
    #expect(lines(late).last == "  Run 7 has not ended.")
  }

  @Test func `spread is not lateness`() throws {
    var evidence = try evidence(.ran, run: 7)
    evidence.run = try run(7, began: 300, ended: 301, attempts: 3)
    evidence.lateness = .zero
    let lines = lines(evidence)
    #expect(
      lines[1] == "  It was due at 2026-09-21T14:18:20.000Z, 5m after the slot (spread and jitter)."
    )
    #expect(lines[3] == "  Run 7 succeeded after 3 attempts: exit(0), took 1 s.")
  }

  @Test func `each verdict without a run has its words`() throws {
    for reason in SkipReason.allCases {
      #expect(lines(try evidence(.skipped(reason))).count >= 2, "\(reason)")
    }
    for cause in MissCause.allCases {
      #expect(lines(try evidence(.missed(cause))).count >= 3, "\(cause)")
    }
    for reason in [CancelReason.removed, .displaced, .byOperator] {
      #expect(lines(try evidence(.cancelled(reason))).count == 2, "\(reason)")
    }
    let into = lines(try evidence(.coalesced(into: at(60))))
    #expect(into[1].hasSuffix("the run of the slot 2026-09-21T14:14:20.000Z covers this one."))
    #expect(lines(try evidence(.skipped(.overlap)))[0] == "\(heading): skipped(overlap)")
  }

  @Test func `a missed slot says what was wrong, how late it was, and what decides`() throws {
    var missed = try evidence(.missed(.down))
    missed.absences = [SlotEvidence.Absence(from: at(-5), to: at(9), wasKilled: false)]
    #expect(
      lines(missed) == [
        "\(heading): missed(down)",
        "  It did not run: takt was not running when it was due.",
        "  takt was stopped at 2026-09-21T14:13:15.000Z, and started again at 2026-09-21T14:13:29.000Z.",
        "  takt gave it up at 2026-09-21T14:13:29.000Z, 9 s after the slot. The job's 'missed' decides "
          + "which slots run late instead: by default the newest one, if it is not older than the job's "
          + "interval.",
      ])
  }

  @Test func `an instant without a slot, and a slot that waits`() throws {
    let words = SlotWords(job: "a", zone: .utc)
    var inquiry = SlotInquiry()
    #expect(words.lines(of: inquiry, from: nil) == ["no slot of a has been decided yet"])
    inquiry.before = try evidence(.missed(.down)).record
    func typed(_ text: String) throws -> TypedPeriod {
      try TypedPeriod(text, at: at(600), in: .utc, preferring: .past)
    }
    let day = words.lines(of: inquiry, from: try typed("today"))
    #expect(
      day[0]
        == "a has no slot from 2026-09-21T00:00:00.000Z to 2026-09-22T00:00:00.000Z in the ledger")
    let period = try typed("2026-09-21T14:14:20Z")
    let lines = words.lines(of: inquiry, from: period)
    #expect(lines[0] == "a has no slot at 2026-09-21T14:14:20.000Z in the ledger")
    #expect(lines[1] == "  the slot before it: 2026-09-21T14:13:20.000Z, missed(down)")
    inquiry.pending = at(60)
    inquiry.active = try run(6, began: -60, ended: nil)
    inquiry.suspension = Suspension(since: at(0), reason: "the disk")
    #expect(
      words.lines(of: inquiry, from: period) == [
        "a, slot 2026-09-21T14:14:20.000Z: waits for its verdict",
        "  Run 6 of the job has not ended: started at 2026-09-21T14:12:20.000Z, not ended.",
        "a is suspended since 2026-09-21T14:13:20.000Z, until 'takt resume': the disk",
      ])
    inquiry.suspension = nil
    inquiry.condition = try run(7, began: 60, ended: nil)
    #expect(
      words.lines(of: inquiry, from: period) == [
        "a, slot 2026-09-21T14:14:20.000Z: waits for its condition (only_if)",
        "  Run 7 is the condition: started at 2026-09-21T14:14:20.000Z, not ended.",
      ])
  }

  @Test func `a missed slot says what the job's own policy does`() throws {
    func rule(_ missed: String) throws -> String? {
      var words = SlotWords(job: "a", zone: .utc)
      words.missed = missed
      return words.lines(of: try evidence(.missed(.down))).last
    }
    #expect(
      try rule("skip")?.hasSuffix(
        "The job has 'missed: skip': a slot that takt could not serve in its time never runs late.")
        == true)
    #expect(
      try rule("last, within 2h")?.hasSuffix(
        "The job has 'missed: last, within 2h': of such slots the newest one runs late, if it is not "
          + "older than 'within'.") == true)
    #expect(
      try rule("all, max 3")?.hasSuffix(
        "The job has 'missed: all, max 3': such slots run late, the newest ones up to 'max', each if it "
          + "is not older than the job's interval.") == true)
  }

  @Test func `a skipped slot says what the job's own overlap does`() throws {
    func rule(_ overlap: Overlap?) throws -> String? {
      var words = SlotWords(job: "a", zone: .utc)
      words.overlap = overlap
      return words.lines(of: try evidence(.skipped(.overlap))).last
    }
    let skip = "skip, a slot that is due during a run is passed over"
    let replace = "replace, a slot in a cluster is passed over while a newer one of its job runs"
    #expect(try rule(.skip) == "  With overlap: \(skip).")
    #expect(try rule(.replace) == "  With overlap: \(replace).")
    #expect(
      try rule(.allow) == "  With overlap: allow, which the job has now, no slot is passed over.")
    #expect(try rule(nil) == "  With overlap: \(skip); with \(replace).")
  }

  @Test func `a slot without a run tells a suspension from a disabled job`() throws {
    var slot = try evidence(.skipped(.suspended))
    slot.isDisabled = true
    #expect(lines(slot).last == "  The job was disabled in the jobs file (enabled: false).")
    slot.isDisabled = false
    #expect(lines(slot).last == "  The job was suspended.")
    slot.suspension = Suspension(since: at(-60), reason: "the disk")
    #expect(
      lines(slot).last == "  The job was suspended, since 2026-09-21T14:12:20.000Z: the disk.")
  }
}
