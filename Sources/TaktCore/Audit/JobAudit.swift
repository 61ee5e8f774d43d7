package import TaktTime

/// A schedule of a job as the ledger has it.
package struct AuditedVersion: Hashable, Sendable {
  package var begin: ScheduleVersion
  /// Nil while it applies.
  package var end: ScheduleEdge?

  package init(begin: ScheduleVersion, end: ScheduleEdge?) {
    self.begin = begin
    self.end = end
  }
}

package struct RecordLoss: Hashable, Sendable {
  package var first: WallInstant
  package var last: WallInstant
  package var count: Int

  package init(first: WallInstant, last: WallInstant, count: Int) {
    self.first = first
    self.last = last
    self.count = count
  }
}

/// A problem in a job's ledger.
package struct AuditFinding: Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case missing
    case doubled
    /// A verdict on an instant that was never a slot.
    case unexpected
    /// A record whose count differs from the slots between its first and its last.
    case miscounted
    /// A slot that has run without a record of its run, or a run without its verdict.
    case unpaired
    /// A verdict or a reason that this version does not know.
    case unknown
    /// An instant that no clock shows.
    case implausible
  }

  package var job: JobName
  package var kind: Kind
  package var slots: SlotSeries
  package var detail: String

  package init(job: JobName, kind: Kind, slots: SlotSeries, detail: String = "") {
    self.job = job
    self.kind = kind
    self.slots = slots
    self.detail = detail
  }

  /// `backup: missing: 3 slots, 2026-11-21T10:00:00.000Z to 2026-11-21T10:02:00.000Z`
  package var description: String {
    let range =
      slots.count == 1 && slots.first == slots.last
      ? slots.first.rfc3339()
      : "\(slots.count) slots, \(slots.first.rfc3339()) to \(slots.last.rfc3339())"
    return "\(job): \(kind.rawValue): \(range)" + (detail.isEmpty ? "" : " (\(detail))")
  }
}

/// Compares the records of one job with the slots that it should have had. Records are taken one by
/// one, so that their number does not matter.
package struct JobAudit: Sendable {
  /// Further findings are only counted.
  package static let findingsMax = 100

  package let job: JobName
  package private(set) var findings: [AuditFinding] = []
  /// Includes those that are not kept.
  package private(set) var findingCount = 0
  package private(set) var verdictCounts = VerdictCounts()
  package private(set) var pendingCount = 0
  /// The number of slots without a verdict because the ledger could not take it, by its own
  /// account.
  package private(set) var lostCount = 0

  private var pending: ArraySlice<WallInstant>
  /// Slots that no schedule can foresee; for a job that has only such slots, these are all of them.
  private var others: Set<ScheduleInstant> = []
  private var expected: ExpectedSlots
  private var losses: [RecordLoss]
  private let since: ScheduleInstant
  /// The slots without a record that may still be visited.
  private var countable: Int

  /// The most slots without a record to visit, which takes seconds.
  package static let countableMax = 2_000_000

  /// - Parameters:
  ///   - versions: the job's schedules, in their order.
  ///   - mark: the job's position.
  ///   - pending: slots that wait for their verdict.
  ///   - losses: verdicts that the ledger has recorded as lost.
  ///   - since: only slots after this instant are checked.
  ///   - newest: the last slot that has a record: the position if the mark is implausible.
  ///   - countableMax: the most slots without a record to visit. Those of a grid or of the days of
  ///     one cron expression can be counted without a visit.
  package init(
    job: JobName, versions: [AuditedVersion], mark: ScheduleEdge, pending: [WallInstant] = [],
    losses: [RecordLoss] = [], since: ScheduleInstant = .min, newest: ScheduleInstant? = nil,
    countableMax: Int = Self.countableMax
  ) {
    self.job = job
    countable = countableMax
    let plausible = PlausibleEdges(versions, mark: mark, newest: newest)
    let (versions, mark) = (plausible.versions, plausible.mark)
    expected = ExpectedSlots(versions, mark: mark, since: since)
    self.losses = losses
    self.since = since
    self.pending = pending.filter { ScheduleInstant($0) > since }.sorted()[...]
    for problem in plausible.problems { add(.implausible, problem.slots, problem.what) }
  }

  /// Takes the next record, in the order of their first slots.
  package mutating func add(_ record: VerdictRecord) {
    var record = record
    guard let slots = remainder(of: record.slots) else { return }
    record.slots = slots
    passPending(before: slots.first)
    verdictCounts.add(record)
    check(slots, "\(record.verdict)")
  }

  /// Takes the next record, whose verdict this version does not know: its slots are decided in an
  /// unknown way.
  package mutating func addUnknown(_ slots: SlotSeries, _ verdict: String) {
    guard let slots = remainder(of: slots) else { return }
    passPending(before: slots.first)
    add(.unknown, slots, verdict)
    check(slots, verdict)
  }

  /// The part that counts of a series that started before.
  private func remainder(of slots: SlotSeries) -> SlotSeries? {
    guard ScheduleInstant(slots.first) <= since, slots.count > 1 else { return slots }
    let last = ScheduleInstant(slots.last)
    return expected.ranges.first { $0.has(last) }?.series(from: since + 1, through: last)
  }

  /// Call it after the last record.
  package mutating func finish() {
    passPending(before: WallInstant(nanoseconds: .max))
    for index in expected.ranges.indices {
      passOver(index, upTo: expected.ranges[index].end)
    }
    for instant in expected.instants.filter({ !$0.value }).map(\.key).sorted() {
      missing(SlotSeries(instant), on: nil)
    }
  }

  private mutating func passPending(before instant: WallInstant) {
    while let slot = pending.first, slot < instant {
      pending.removeFirst()
      pendingCount += 1
      check(SlotSeries(slot), "pending")
    }
  }

  /// Compares a record with the expected slots: single slots with everything, a series with the
  /// grid that it is a piece of.
  private mutating func check(_ slots: SlotSeries, _ what: String) {
    let (first, last) = (ScheduleInstant(slots.first), ScheduleInstant(slots.last))
    guard slots.count > 0, slots.count > 1 || first == last else {
      return add(.miscounted, slots, what)
    }
    var isKnown = false
    var isDoubled = false
    for index in expected.ranges.indices where expected.ranges[index].has(first) {
      isKnown = true
      let range = expected.ranges[index]
      if first <= range.position { isDoubled = true }
      // Slots beyond the record's own count need not be counted.
      var room = slots.count
      let (piece, isWhole) = range.series(from: first, through: last, countable: &room)
      if piece != slots || !isWhole {
        let count = isWhole ? "\(piece?.count ?? 0)" : "more"
        add(.miscounted, slots, "\(what), but the schedule has \(count)")
      }
      passOver(index, upTo: first - 1)
      expected.ranges[index].position = max(range.position, last)
      if slots.count > 1 { isDoubled = checkInstants(of: slots, on: range) || isDoubled }
    }
    if slots.count == 1, let isMet = expected.instants[first] {
      if isMet, !isKnown { isDoubled = true }
      isKnown = true
      expected.instants[first] = true
    }
    if isDoubled { return add(.doubled, slots, what) }
    if isKnown { return }
    // A slot that no schedule can foresee stands alone.
    guard expected.allowsOthers, slots.count == 1 else { return add(.unexpected, slots, what) }
    if !others.insert(first).inserted { add(.doubled, slots, what) }
  }

  /// Single instants that the grid names as well. Returns true if one has been met before.
  private mutating func checkInstants(
    of slots: SlotSeries, on range: ExpectedSlots.InstantRange
  ) -> Bool {
    var isDoubled = false
    for (instant, isMet) in expected.instants
    where ScheduleInstant(slots.first) <= instant && instant <= ScheduleInstant(slots.last)
      && range.has(instant)
    {
      if isMet { isDoubled = true }
      expected.instants[instant] = true
    }
    return isDoubled
  }

  /// Finds slots of a grid without a record up to here.
  private mutating func passOver(_ index: Int, upTo last: ScheduleInstant) {
    let range = expected.ranges[index]
    guard let first = range.next, first <= last else { return }
    let (series, isWhole) = range.series(from: first, through: last, countable: &countable)
    guard let series else { return }
    let detail =
      isWhole
      ? ""
      : "no further counted; the next verdict or the job's position is at "
        + WallInstant(min(last, range.end)).rfc3339()
    missing(series, on: range, detail)
  }

  private mutating func missing(
    _ series: SlotSeries, on range: ExpectedSlots.InstantRange?, _ detail: String = ""
  ) {
    var count = series.count
    for index in losses.indices
    where losses[index].count > 0 && losses[index].first <= series.last
      && series.first <= losses[index].last
    {
      let loss = losses[index]
      // Only the part of a series within the loss.
      let inside =
        range.map {
          $0.series(
            from: ScheduleInstant(max(series.first, loss.first)),
            through: ScheduleInstant(min(series.last, loss.last)))?.count ?? 0
        } ?? series.count
      let known = min(inside, loss.count, count)
      losses[index].count -= known
      lostCount += known
      count -= known
    }
    if count > 0 {
      add(
        .missing, SlotSeries(first: series.first, last: series.last, count: count), detail)
    }
  }

  private mutating func add(_ kind: AuditFinding.Kind, _ slots: SlotSeries, _ detail: String) {
    findingCount += 1
    guard findings.count < Self.findingsMax else { return }
    findings.append(AuditFinding(job: job, kind: kind, slots: slots, detail: detail))
  }
}
