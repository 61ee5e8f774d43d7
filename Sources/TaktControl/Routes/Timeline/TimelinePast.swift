import DequeModule
import TaktCore
import TaktTime

/// The past of some jobs: the remembered part, and the ledger's.
struct TimelinePast: Sendable {
  /// A mark for one slot or run, or for several that are too close together to distinguish.
  struct Mark<Item> {
    var item: Item
    var count: Int
  }

  struct Interruption {
    enum Kind: String {
      /// No daemon ran.
      case down
      /// The daemon or the machine stood still.
      case stalled
    }

    var kind: Kind
    var from: WallInstant
    var to: WallInstant
  }

  /// The most slots, and the most runs, of one job that are shown.
  private static let marksMax = 400
  private static let wakesMax = 5_000
  /// The most rows of one job that are read from the ledger.
  private static let rowsMax = 5_000

  private var slots: [JobName: [ControlState.PastSlot]] = [:]
  private var runs: [JobName: [StoredRun]] = [:]
  private(set) var wakes: [WallInstant]
  private(set) var isTruncated = false
  private var stalls: [StallLog.Stall]
  private var absences: [DaemonAbsence] = []
  private let from: WallInstant
  /// The last start or due time that is shown.
  private let to: WallInstant
  /// Earlier decisions are not remembered; nil if nothing was decided yet.
  private let firstDecision: WallInstant?
  /// Earlier runs are not remembered; nil if none has ended yet.
  private let firstRun: RunID?

  init(
    _ state: ControlState, of names: Set<JobName>, from: WallInstant, to: WallInstant
  ) {
    self.from = from
    self.to = to
    stalls = state.stalls.stalls(since: from)
    firstDecision = state.pastSlots.first?.at
    firstRun = state.ended.map(\.head.run).min()
    for slot in state.pastSlots
    where slot.at >= from && slot.due <= to && names.contains(slot.job) {
      slots[slot.job, default: []].append(slot)
    }
    for run in Array(state.ended) + state.begun.values.sorted(by: { $0.head.run < $1.head.run }) {
      guard names.contains(run.head.job), run.head.kind != .hook,
        let began = run.beganAt, began <= to,
        run.endedAt.map({ $0 >= from }) ?? true
      else { continue }
      runs[run.head.job, default: []].append(run)
    }
    wakes = state.pastWakes.filter { $0 >= from && $0 <= to }
    if wakes.count > Self.wakesMax {
      wakes = Array(wakes.suffix(Self.wakesMax))
      isTruncated = true
    }
  }

  /// Adds the ledger's part, from before the remembered time.
  func completed(
    by ports: ControlPorts, _ names: [JobName], until now: WallInstant
  ) async throws -> TimelinePast {
    var past = self
    if firstDecision.map({ $0 > self.from }) ?? true {
      let query = VerdictQuery(
        jobs: names, since: from, until: to + .milliseconds(1), before: firstDecision ?? now,
        limit: Self.rowsMax)
      let records =
        try await ports.fromArchive { (archive) throws(ArchiveError) in
          try archive.verdicts(query)
        } ?? []
      let kept = records.sorted { $0.slots.last < $1.slots.last }.map { record in
        ControlState.PastSlot(
          job: record.job, slot: record.slots.last, due: record.slots.last, window: .zero,
          verdict: record.verdict, at: record.at, run: record.run, count: record.slots.count)
      }
      past.stalls = (records.compactMap(StallLog.Stall.init) + stalls).merged
      for (name, slots) in Dictionary(grouping: kept, by: \.job) {
        past.slots[name] = slots + (past.slots[name] ?? [])
        if slots.count == Self.rowsMax { past.isTruncated = true }
      }
    }
    let (from, to, firstRun) = (self.from, self.to, self.firstRun)
    past.absences =
      try await ports.fromArchive { (archive) throws(ArchiveError) in
        try archive.absences(from: from, to: min(to, now))
      } ?? []
    let kept: [JobName: [StoredRun]]? = try await ports.fromArchive {
      (archive) throws(ArchiveError) in
      try Self.runs(of: names, from: from, to: to, before: firstRun, in: archive)
    }
    for (name, runs) in kept ?? [:] {
      past.runs[name] = runs.reversed() + (past.runs[name] ?? [])
      if runs.count == Self.rowsMax { past.isTruncated = true }
    }
    return past
  }

  /// The runs in the ledger, newest first.
  private static func runs(
    of names: [JobName], from: WallInstant, to: WallInstant, before first: RunID?,
    in archive: any RunArchive
  ) throws(ArchiveError) -> [JobName: [StoredRun]] {
    var kept: [JobName: [StoredRun]] = [:]
    for name in names {
      var query = RunQuery()
      query.job = name
      query.since = from
      query.until = to + .milliseconds(1)
      query.before = first
      query.limit = rowsMax
      kept[name] = try archive.runs(query).filter { $0.beganAt != nil && $0.end != nil }
    }
    return kept
  }

  /// The times when no daemon ran, and when it stood still, each in order.
  func interruptions(until now: WallInstant) -> [Interruption] {
    absences.map { absence in
      Interruption(kind: .down, from: max(absence.from, from), to: min(absence.to ?? now, now))
    }
      + stalls.filter { $0.from <= to }.map {
        Interruption(kind: .stalled, from: max($0.from, from), to: $0.to)
      }
  }

  /// The slots of a job, oldest first; if there are very many, the worst of each short time
  /// represents all of it.
  func slots(of name: JobName, until now: WallInstant) -> [Mark<ControlState.PastSlot>] {
    let marks = (slots[name] ?? []).map { Mark(item: $0, count: $0.count) }
    return thin(marks, until: now, at: \.due) { $0.verdict.weight }
  }

  /// The runs of a job in the same way.
  func runs(of name: JobName, until now: WallInstant) -> [Mark<StoredRun>] {
    let marks = (runs[name] ?? []).map { Mark(item: $0, count: 1) }
    return thin(marks, until: now, at: { $0.beganAt ?? from }) { $0.weight }
  }

  private func thin<Item>(
    _ marks: [Mark<Item>], until now: WallInstant, at time: (Item) -> WallInstant,
    weight: (Item) -> Int
  ) -> [Mark<Item>] {
    guard marks.count > Self.marksMax else { return marks }
    let span = max(1, now.milliseconds - from.milliseconds)
    var thinned: [Mark<Item>] = []
    var lastPlace = Int64.min
    for mark in marks {
      let offset = min(max(0, time(mark.item).milliseconds - from.milliseconds), span)
      let place = offset * Int64(Self.marksMax) / span
      guard place == lastPlace, let last = thinned.last else {
        thinned.append(mark)
        lastPlace = place
        continue
      }
      let worse = weight(mark.item) > weight(last.item) ? mark.item : last.item
      thinned[thinned.count - 1] = Mark(item: worse, count: last.count + mark.count)
    }
    return thinned
  }
}

extension Verdict {
  /// The importance among others of the same time.
  fileprivate var weight: Int {
    switch self {
    case .skipped(.elsewhere): 0
    case .ran: 1
    case .coalesced: 2
    case .skipped: 3
    case .cancelled: 4
    case .missed: 5
    }
  }
}

extension StoredRun {
  fileprivate var weight: Int {
    switch end?.outcome {
    case .succeeded?: 0
    case .cancelled?: 1
    case nil: 2
    case .interrupted?, .timedOut?, .failed?: 3
    }
  }
}
