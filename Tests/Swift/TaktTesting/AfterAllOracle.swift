import TaktCore
import TaktTime

/// Checks the slots of `after: {all: […]}` against the ends of runs, by the ledger's entries alone.
///
/// A job that waits for several has no other trigger, and a reload never changes these.
struct AfterAllOracle {
  private struct State {
    /// The jobs that have a schedule in force, by the ledger.
    var open: Set<JobName> = []
    /// The ends that count, for each job that waits for some.
    var ended: [JobName: [JobName: WallInstant]] = [:]
    /// The heads of runs, and the runs that have had an attempt.
    var heads: [RunID: RunHead] = [:]
    var begun: Set<RunID> = []
    /// All slots so far.
    var slots: [JobName: Set<WallInstant>] = [:]
  }

  /// The jobs that wait for several, in their latest version.
  private var specs: [JobName: JobSpec] = [:]
  private var state = State()
  /// The state that the ledger has written: a crash goes back to it.
  private var kept = State()
  private(set) var problems: [String] = []
  private(set) var slotCount = 0

  /// Jobs are in force from the next turn on.
  mutating func apply(_ jobs: [JobSpec]) {
    for job in jobs where job.timing.schedule.afterAll != nil { specs[job.name] = job }
  }

  /// Takes the entries of one turn.
  ///
  /// - Parameters:
  ///   - changed: jobs that this turn adds, changes or removes, whose slots are not counted then.
  ///   - isStart: true if takt starts with it, and runs of a previous daemon get their ends.
  mutating func observe(
    _ entries: [LedgerEntry], changed: Set<JobName> = [], isStart: Bool = false, at now: WallInstant
  ) {
    var due: [JobName: Int] = [:]
    var new: [JobName: Int] = [:]
    for entry in entries {
      switch entry {
      case .schedule(let version):
        if state.open.insert(version.job).inserted { state.ended[version.job] = [:] }
      case .scheduleEnded(let job, _): state.open.remove(job)
      case .claimed(let run): state.heads[run.head.run] = run.head
      case .began(let run):
        state.heads[run.head.run] = run.head
        state.begun.insert(run.head.run)
      case .ended(let record) where record.retry == nil:
        if isStart || hasHadAttempt(record) {
          runEnded(record.head, record.end.outcome, due: &due, at: now)
        }
      // A run of a previous daemon that is not continued.
      case .settled(let run) where isStart:
        if let head = state.heads[run] { runEnded(head, .interrupted, due: &due, at: now) }
      default: break
      }
      for (job, slot) in Self.slots(of: entry) where specs[job] != nil {
        if state.slots[job, default: []].insert(slot).inserted { new[job, default: 0] += 1 }
      }
    }
    slotCount += new.values.reduce(0, +)
    for job in Set(due.keys).union(new.keys).sorted() where !changed.contains(job) {
      let (wanted, found) = (due[job] ?? 0, new[job] ?? 0)
      if wanted != found {
        problems.append("\(job): \(found) slots after \(wanted) times that all have ended")
      }
    }
  }

  private mutating func runEnded(
    _ head: RunHead, _ outcome: Outcome, due: inout [JobName: Int], at now: WallInstant
  ) {
    guard head.kind != .hook, head.kind != .backfill else { return }
    let instant = WallInstant(milliseconds: now.milliseconds)
    for child in state.open {
      guard let schedule = specs[child]?.timing.schedule, let all = schedule.afterAll,
        let parent = all.parents.first(where: { $0.job == head.job }),
        Self.counts(outcome, as: parent.condition)
      else { continue }
      state.ended[child, default: [:]][head.job] = instant
      let ended = state.ended[child] ?? [:]
      let isWhole = all.parents.allSatisfy { parent in
        ended[parent.job].map { at in all.within.map { now - at <= $0 } ?? true } ?? false
      }
      guard isWhole else { continue }
      state.ended[child] = [:]
      if schedule.isWithinBounds(now) { due[child, default: 0] += 1 }
    }
  }

  private func hasHadAttempt(_ record: RunRecord) -> Bool {
    if state.begun.contains(record.head.run) { return true }
    return record.head.kind == .resumed && record.end != RunEnd(.cancelled, .shutdown)
  }

  private static func counts(_ outcome: Outcome, as condition: Following.Condition) -> Bool {
    switch condition {
    case .any: true
    case .success: outcome == .succeeded
    case .failure: outcome == .failed || outcome == .timedOut
    }
  }

  private static func slots(of entry: LedgerEntry) -> [(JobName, WallInstant)] {
    switch entry {
    case .verdict(let record): [(record.job, record.slots.first)]
    case .pending(let job, let slot): [(job, slot)]
    case .claimed(let run) where run.head.kind == .slot: [(run.head.job, run.head.slot)]
    default: []
    }
  }

  mutating func wrote() { kept = state }

  mutating func crashed() { state = kept }
}
