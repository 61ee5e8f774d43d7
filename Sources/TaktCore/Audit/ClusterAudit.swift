package import TaktTime

/// A cluster's engine's records of a job's slots.
package struct EngineSlots: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    package var slot: WallInstant
    package var state: State

    package init(slot: WallInstant, state: State) {
      self.slot = slot
      self.state = state
    }
  }

  package enum State: Hashable, Sendable {
    /// Nil for a verdict that this version does not know.
    case decided(Verdict.Kind?)
    /// `lostFor` is the time since the machine was lost, if it is.
    case claimed(machine: String, lostFor: Duration?)
    /// Its machine was lost, or has given it back; `overdueFor` is the time since its window ended,
    /// if it has.
    case open(overdueFor: Duration?)
  }

  package struct Series: Hashable, Sendable {
    package var slots: SlotSeries
    package var verdict: Verdict.Kind?

    package init(slots: SlotSeries, verdict: Verdict.Kind?) {
      self.slots = slots
      self.verdict = verdict
    }
  }

  /// A machine that has run a slot without a claim, which another one had.
  package struct Doubled: Hashable, Sendable {
    package var slot: WallInstant
    package var machine: String

    package init(slot: WallInstant, machine: String) {
      self.slot = slot
      self.machine = machine
    }
  }

  /// There are no records up to this slot; nil if there are all.
  package var forgottenUntil: WallInstant?
  /// Ascending.
  package var entries: [Entry] = []
  /// Ranges of decided slots, by their first ones.
  package var ranges: [PastSlots.Range] = []
  package var series: [Series] = []
  package var doubled: [Doubled] = []
  /// Times whose records a failover has lost.
  package var lost: [ClosedRange<WallInstant>] = []

  package init() {}

  fileprivate func isWithoutRun(_ slot: WallInstant) -> Bool {
    if let entry = entries.first(where: { $0.slot == slot }) {
      guard case .decided(let kind?) = entry.state else { return false }
      return kind != .ran
    }
    if let range = ranges.first(where: { $0.contains(slot) }) { return range.kind != .ran }
    let found = series.first { $0.slots.first <= slot && slot <= $0.slots.last }
    return found?.verdict.map { $0 != .ran } ?? false
  }
}

/// A problem with a job's slots over all machines.
package struct ClusterFinding: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// No machine has decided it.
    case missing
    /// It ran on this machine, and the engine has no record of it.
    case unrecorded
    /// It ran on two machines.
    case doubled
    /// It is claimed by a machine that has long been lost, or no machine takes it over.
    case stuck
  }

  package var job: JobName
  package var kind: Kind
  package var slots: SlotSeries
  package var detail: String

  /// `backup: missing: 3 slots, 2026-11-21T10:00:00.000Z to 2026-11-21T10:02:00.000Z`
  package var description: String {
    let range =
      slots.count == 1
      ? slots.first.rfc3339()
      : "\(slots.count) slots, \(slots.first.rfc3339()) to \(slots.last.rfc3339())"
    return "\(job): \(kind.rawValue): \(range)" + (detail.isEmpty ? "" : " (\(detail))")
  }
}

/// Compares an engine's records of one shared job with the slots that its schedules name: each must
/// have one verdict over all machines.
package struct ClusterAudit: Sendable {
  /// This machine's record of a slot.
  package enum LocalRecord: Hashable, Sendable {
    case none
    case pending
    case decided(Verdict)
  }

  /// The most slots compared, which takes seconds.
  package static let slotsMax = 2_000_000

  package let job: JobName
  package private(set) var findings: [ClusterFinding] = []
  package private(set) var verdicts: [Verdict.Kind: Int] = [:]
  /// Slots that are claimed, or wait for the engine.
  package private(set) var pendingCount = 0
  /// Slots without a record of the engine's, to be compared with this machine's ledger.
  package private(set) var unknown: [WallInstant] = []
  /// Slots that were left to other machines, and whose records a failover has lost.
  package private(set) var lostCount = 0
  private let lost: [ClosedRange<WallInstant>]
  /// Later slots were not checked, because there are too many.
  package private(set) var checkedUntil: WallInstant?

  /// - Parameters:
  ///   - mark: the job's position on this machine.
  ///   - since: only later slots count.
  ///   - patience: the time that a slot of a lost machine may wait for another one.
  package init(
    job: JobName, versions: [AuditedVersion], mark: ScheduleEdge, since: ScheduleInstant,
    engine: EngineSlots, patience: Duration, slotsMax: Int = Self.slotsMax
  ) {
    self.job = job
    lost = engine.lost
    let forgotten = engine.forgottenUntil.map { ScheduleInstant($0) } ?? .min
    let since = max(since, forgotten)
    count(engine, after: since, patience: patience)
    let edges = PlausibleEdges(versions, mark: mark, newest: nil)
    let expected = ExpectedSlots(edges.versions, mark: edges.mark, since: since)
    var rest = slotsMax
    var missing: Set<ScheduleInstant> = []
    for range in expected.ranges {
      compare(range, with: engine, rest: &rest, &missing)
    }
    var search = EngineSearch(engine)
    for instant in expected.instants.keys.sorted() where !search.has(instant) {
      missing.insert(instant)
    }
    unknown = missing.sorted().map { WallInstant($0) }
  }

  private mutating func count(
    _ engine: EngineSlots, after since: ScheduleInstant, patience: Duration
  ) {
    for entry in engine.entries where ScheduleInstant(entry.slot) > since {
      switch entry.state {
      case .decided(let kind): if let kind { count(1, of: kind) }
      case .claimed(let machine, let lostFor):
        if let lostFor, lostFor > patience {
          add(
            .stuck, SlotSeries(entry.slot),
            "claimed by '\(machine)', which has been lost for \(DurationText.format(lostFor))")
        } else {
          pendingCount += 1
        }
      case .open(let overdueFor):
        if let overdueFor, overdueFor > patience {
          add(.stuck, SlotSeries(entry.slot), "its machine was lost, and no other one decided it")
        } else {
          pendingCount += 1
        }
      }
    }
    for range in engine.ranges { count(range.count(after: WallInstant(since)), of: range.kind) }
    for series in engine.series where ScheduleInstant(series.slots.first) > since {
      if let kind = series.verdict { count(series.slots.count, of: kind) }
    }
    countDoubled(engine, after: since)
  }

  /// A machine may have reported a run again under another membership. If the others had decided
  /// that the slot does not run, the first of these runs is the only one.
  private mutating func countDoubled(_ engine: EngineSlots, after since: ScheduleInstant) {
    var seen: Set<EngineSlots.Doubled> = []
    var served: Set<WallInstant> = []
    for doubled in engine.doubled where ScheduleInstant(doubled.slot) > since {
      guard seen.insert(doubled).inserted else { continue }
      let isFirst = served.insert(doubled.slot).inserted
      if isFirst, engine.isWithoutRun(doubled.slot) { continue }
      add(.doubled, SlotSeries(doubled.slot), "'\(doubled.machine)' ran it too, without a claim")
    }
  }

  /// Others wrote the counts.
  private mutating func count(_ more: Int, of kind: Verdict.Kind) {
    let (sum, overflow) = verdicts[kind, default: 0].addingReportingOverflow(max(0, more))
    verdicts[kind] = overflow ? .max : sum
  }

  private mutating func compare(
    _ range: ExpectedSlots.InstantRange, with engine: EngineSlots, rest: inout Int,
    _ missing: inout Set<ScheduleInstant>
  ) {
    var range = range
    var search = EngineSearch(engine)
    while let next = range.next {
      guard rest > 0 else {
        let last = WallInstant(range.position)
        checkedUntil = min(checkedUntil ?? last, last)
        return
      }
      rest -= 1
      if !search.has(next) { missing.insert(next) }
      range.position = next
    }
  }

  /// Takes the records of this machine's ledger of the slots in `unknown`, in their order.
  package mutating func settle(_ records: [LocalRecord]) {
    var last: (kind: ClusterFinding.Kind, detail: String, slots: SlotSeries)?
    func finding(_ record: LocalRecord) -> (ClusterFinding.Kind, String)? {
      switch record {
      case .none: (.missing, "")
      case .decided(.skipped(.elsewhere)):
        (.missing, "this machine left it to another one, but the engine has no record of it")
      case .decided(.ran): (.unrecorded, "it ran on this machine without a record in the engine")
      case .pending, .decided: nil
      }
    }
    for (slot, record) in zip(unknown, records) {
      let wasLost =
        record == .decided(.skipped(.elsewhere)) && lost.contains { $0.contains(slot) }
      if wasLost { lostCount += 1 }
      switch record {
      case .pending: pendingCount += 1
      // Decisions of one machine for all: suspensions, exclusions, limits, and slots that are too
      // old.
      case .decided(let verdict) where finding(record) == nil:
        count(1, of: verdict.kind)
      case .none, .decided: break
      }
      guard !wasLost, let (kind, detail) = finding(record) else {
        if let found = last { add(found.kind, found.slots, found.detail) }
        last = nil
        continue
      }
      if let found = last, found.kind == kind, found.detail == detail {
        last?.slots = SlotSeries(
          first: found.slots.first, last: slot, count: found.slots.count + 1)
      } else {
        if let found = last { add(found.kind, found.slots, found.detail) }
        last = (kind, detail, SlotSeries(slot))
      }
    }
    if let found = last { add(found.kind, found.slots, found.detail) }
  }

  private mutating func add(_ kind: ClusterFinding.Kind, _ slots: SlotSeries, _ detail: String) {
    findings.append(ClusterFinding(job: job, kind: kind, slots: slots, detail: detail))
  }
}

/// Searches an engine's records, in ascending order.
private struct EngineSearch {
  private let engine: EngineSlots
  private var index = 0
  private var rangeIndex = 0
  /// Ranges that have started and have not ended.
  private var ranges: [PastSlots.Range] = []

  init(_ engine: EngineSlots) { self.engine = engine }

  mutating func has(_ slot: ScheduleInstant) -> Bool {
    let entries = engine.entries
    while index < entries.count, ScheduleInstant(entries[index].slot) < slot { index += 1 }
    if index < entries.count, ScheduleInstant(entries[index].slot) == slot { return true }
    let wall = WallInstant(slot)
    while rangeIndex < engine.ranges.count, engine.ranges[rangeIndex].first <= wall {
      ranges.append(engine.ranges[rangeIndex])
      rangeIndex += 1
    }
    ranges.removeAll { $0.last < wall }
    if ranges.contains(where: { $0.contains(wall) }) { return true }
    return engine.series.contains {
      ScheduleInstant($0.slots.first) <= slot && slot <= ScheduleInstant($0.slots.last)
    }
  }
}
