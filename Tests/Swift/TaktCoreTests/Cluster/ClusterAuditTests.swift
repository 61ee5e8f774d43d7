import TaktTime
import Testing

@testable import TaktCore

/// The slots of a shared job over all machines: each has one verdict, or is found.
@Suite struct ClusterAuditTests {
  private static let start = WallInstant(milliseconds: 1_790_000_000_000)
  private let job: JobName

  init() throws { job = try #require(JobName("a")) }

  /// The slot of so many minutes after the start, from 1.
  private func slot(_ number: Int) -> WallInstant { Self.start + .seconds(60) * number }

  /// A job that is due each minute, and has come to its tenth slot.
  private func audit(
    since: WallInstant? = nil, slotsMax: Int = ClusterAudit.slotsMax,
    _ engine: (inout EngineSlots) -> Void = { _ in }
  ) -> ClusterAudit {
    var slots = EngineSlots()
    slots.entries = (1...10).map {
      EngineSlots.Entry(slot: slot($0), state: .decided($0 == 3 ? .skipped : .ran))
    }
    engine(&slots)
    func edge(_ instant: WallInstant) -> ScheduleEdge {
      ScheduleEdge(clock: ScheduleInstant(instant), wall: ScheduleInstant(instant), at: instant)
    }
    let schedule = Schedule(every: Every(.seconds(60)))
    let version = ScheduleVersion(
      job: job, schedule: schedule, isEnabled: true, anchor: ScheduleInstant(Self.start),
      from: edge(Self.start), instantsFrom: nil)
    return ClusterAudit(
      job: job, versions: [AuditedVersion(begin: version, end: nil)], mark: edge(slot(10)),
      since: since.map { ScheduleInstant($0) } ?? .min, engine: slots, patience: .seconds(30),
      slotsMax: slotsMax)
  }

  private func lines(_ audit: ClusterAudit) -> [String] {
    audit.findings.map { finding in
      let from = (finding.slots.first - Self.start).milliseconds / 60_000
      return "\(finding.kind) \(from)×\(finding.slots.count) \(finding.detail)"
    }
  }

  @Test func `slots that the engine has decided have one verdict`() {
    let audit = audit()
    #expect(audit.unknown.isEmpty && audit.findings.isEmpty && audit.pendingCount == 0)
    #expect(audit.verdicts == [.ran: 9, .skipped: 1])
  }

  @Test func `what another machine had before a failover may have lost its record`() {
    var audit = audit { engine in
      engine.entries.removeAll { (4...7).contains(minute($0)) }
      engine.lost = [slot(4)...slot(6)]
    }
    #expect(audit.unknown == (4...7).map(slot))
    audit.settle([
      .decided(.skipped(.elsewhere)), .decided(.skipped(.elsewhere)), .none,
      .decided(.skipped(.elsewhere)),
    ])
    #expect(audit.lostCount == 2)
    #expect(audit.findings.map(\.slots.first) == [slot(6), slot(7)])
  }

  @Test func `slots that the engine has decided in short have one verdict, too`() {
    let audit = audit { engine in
      engine.entries.removeAll { minute($0) <= 6 }
      engine.ranges = [
        PastSlots.Range(first: slot(1), last: slot(5), count: 3, kind: .ran),
        PastSlots.Range(first: slot(2), last: slot(4), count: 2, kind: .missed),
      ]
    }
    #expect(audit.unknown == [slot(6)])
    #expect(audit.verdicts == [.ran: 7, .missed: 2])
    let later = self.audit(since: slot(3)) { engine in
      engine.entries = []
      engine.ranges = [PastSlots.Range(first: slot(1), last: slot(9), count: 5, kind: .ran)]
    }
    #expect(later.unknown == [4, 6, 8, 10].map(slot) && later.verdicts == [.ran: 3])
  }

  @Test func `counts that no machine can have written are not added up beyond what there is`() {
    let audit = audit { engine in
      engine.entries = []
      engine.series = (0..<2).map { _ in
        EngineSlots.Series(
          slots: SlotSeries(first: slot(1), last: slot(10), count: .max), verdict: .missed)
      }
      engine.series.append(
        EngineSlots.Series(
          slots: SlotSeries(first: slot(1), last: slot(10), count: -5), verdict: .ran))
    }
    #expect(audit.verdicts == [.missed: .max, .ran: 0])
  }

  @Test func `a slot without a record is looked up in the ledger of this machine`() {
    var audit = audit { $0.entries.removeAll { [2, 4, 5, 6, 7, 8].contains(minute($0)) } }
    #expect(audit.unknown == [2, 4, 5, 6, 7, 8].map(slot))
    audit.settle([
      .decided(.skipped(.suspended)), .none, .none, .decided(.skipped(.elsewhere)),
      .decided(.ran), .pending,
    ])
    #expect(
      lines(audit) == [
        "missing 4×2 ",
        "missing 6×1 this machine left it to another one, but the engine has no record of it",
        "unrecorded 7×1 it ran on this machine without a record in the engine",
      ])
    #expect(audit.verdicts == [.ran: 3, .skipped: 2] && audit.pendingCount == 1)
    #expect(
      audit.findings.first?.description
        == "a: missing: 2 slots, \(slot(4).rfc3339()) to \(slot(5).rfc3339())")
  }

  private func minute(_ entry: EngineSlots.Entry) -> Int {
    Int((entry.slot - Self.start).milliseconds / 60_000)
  }

  @Test func `a series stands for all slots within it`() {
    let audit = audit { engine in
      engine.entries.removeAll { (4...6).contains(minute($0)) }
      engine.series = [
        EngineSlots.Series(
          slots: SlotSeries(first: slot(4), last: slot(6), count: 3), verdict: .missed)
      ]
    }
    #expect(audit.unknown.isEmpty && audit.verdicts == [.ran: 6, .skipped: 1, .missed: 3])
  }

  @Test func `a claim is a problem only when its machine has long been lost`() {
    let audit = audit { engine in
      engine.entries[5].state = .claimed(machine: "b", lostFor: nil)
      engine.entries[6].state = .claimed(machine: "b", lostFor: .seconds(30))
      engine.entries[7].state = .claimed(machine: "b", lostFor: .seconds(31))
      engine.entries[8].state = .open(overdueFor: nil)
      engine.entries[9].state = .open(overdueFor: .seconds(31))
    }
    #expect(
      lines(audit) == [
        "stuck 8×1 claimed by 'b', which has been lost for 31s",
        "stuck 10×1 its machine was lost, and no other one decided it",
      ])
    #expect(audit.pendingCount == 3)
  }

  @Test func `a slot that ran on two machines is found`() {
    let audit = audit { engine in
      engine.doubled = [EngineSlots.Doubled(slot: slot(4), machine: "b")]
    }
    #expect(lines(audit) == ["doubled 4×1 'b' ran it too, without a claim"])
  }

  @Test func `a run that its machine has reported twice is one`() {
    let audit = audit { engine in
      engine.doubled = ["b", "b", "c"].map { EngineSlots.Doubled(slot: slot(4), machine: $0) }
    }
    #expect(
      lines(audit) == [
        "doubled 4×1 'b' ran it too, without a claim",
        "doubled 4×1 'c' ran it too, without a claim",
      ])
  }

  @Test func `the only run of a slot that others had given up is no second one`() {
    let skipped = audit { engine in
      engine.doubled = ["b", "c"].map { EngineSlots.Doubled(slot: slot(3), machine: $0) }
    }
    #expect(lines(skipped) == ["doubled 3×1 'c' ran it too, without a claim"])
    let past = audit { engine in
      engine.entries.removeFirst(5)
      engine.ranges = [
        PastSlots.Range(first: slot(1), last: slot(2), count: 2, kind: .missed),
        PastSlots.Range(first: slot(3), last: slot(3), count: 1, kind: .ran),
      ]
      engine.series = [
        EngineSlots.Series(
          slots: SlotSeries(first: slot(4), last: slot(5), count: 2), verdict: .missed)
      ]
      engine.doubled = [1, 3, 4].map { EngineSlots.Doubled(slot: slot($0), machine: "b") }
    }
    #expect(lines(past) == ["doubled 3×1 'b' ran it too, without a claim"])
  }

  @Test func `only slots count of which the engine still knows, and that are wanted`() {
    let forgotten = audit { engine in
      engine.entries.removeFirst(4)
      engine.forgottenUntil = slot(4)
    }
    #expect(forgotten.unknown.isEmpty && forgotten.verdicts == [.ran: 6])
    let wanted = audit(since: slot(7)) { engine in
      engine.entries.removeFirst(5)
      engine.doubled = [EngineSlots.Doubled(slot: slot(3), machine: "b")]
    }
    #expect(wanted.unknown.isEmpty && wanted.findings.isEmpty && wanted.verdicts == [.ran: 3])
    // Others may have decided slots that this machine has not reached yet.
    let ahead = audit { engine in
      engine.entries.append(EngineSlots.Entry(slot: slot(11), state: .decided(.ran)))
    }
    #expect(ahead.unknown.isEmpty && ahead.findings.isEmpty)
  }

  @Test func `too many slots are not gone through to the end, and it is said where it stops`() {
    let audit = audit(slotsMax: 4) { $0.entries.removeAll { [2, 8].contains(minute($0)) } }
    #expect(audit.unknown == [slot(2)] && audit.checkedUntil == slot(4))
  }
}
