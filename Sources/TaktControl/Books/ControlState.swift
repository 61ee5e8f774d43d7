import DequeModule
package import TaktCore
package import TaktTime

/// What is known of jobs and runs beside what the scheduler knows. A value: it is fed and read by
/// `ControlBooks`.
package struct ControlState {
  /// How many runs that have ended are remembered.
  static let runsMax = 2_000
  /// How many slots and wakes that were are remembered for the timeline.
  static let pastMax = 20_000

  /// A slot that was decided.
  struct PastSlot {
    var job: JobName
    var slot: WallInstant
    /// From when it might start, and how much later.
    var due: WallInstant
    var window: Duration
    var verdict: String
    var at: WallInstant
  }

  var ring = EventRing()
  var metrics = Metrics()
  private(set) var jobs: [JobName: JobSight] = [:]
  /// The states of the timer machines that do not run.
  private(set) var resting: [JobName: String] = [:]
  /// Jobs that a reload has removed, whose runs may still end.
  private var removed: Set<JobName> = []
  /// The first run of this takt.
  private var firstRun: RunID?
  /// Runs that have begun and have not ended.
  private(set) var begun: [RunID: StoredRun] = [:]
  /// When each of them was recorded as begun, on the clock that does not jump.
  private var begunAt: [RunID: MonotonicInstant] = [:]
  /// Runs that have ended, the newest last.
  private(set) var ended: Deque<StoredRun> = []
  /// What the last attempts printed: the ledger may not have it yet, or there may be none.
  private(set) var outputs = RecentOutputs()
  private(set) var progress: [RunID: RunProgress] = [:]
  /// Slots whose runs have started and whose verdicts have not come yet.
  private var starts: [RunID: SlotStart] = [:]
  private(set) var pastSlots: Deque<PastSlot> = []
  private(set) var pastWakes: Deque<WallInstant> = []

  package init() {}

  /// Takes what the ledger is to keep.
  package mutating func take(_ entries: [LedgerEntry], at now: Now) {
    for entry in entries { take(entry, at: now) }
  }

  /// Takes records of the log.
  package mutating func take(_ records: [LogRecord]) {
    for record in records {
      ring.append(record)
      metrics.take(record)
      switch record.event {
      case .progress: takeProgress(record)
      case .timer: takeTimer(record)
      case .slot, .run, .output, .metric, .plugin, .reload, .plan, .ledger, .scheduler: break
      }
    }
  }

  /// A slot's run has started.
  package mutating func take(_ start: SlotStart, at wall: WallInstant) {
    change(start.job) { sight in
      sight.lateness = start.lateness
      sight.window = start.window
    }
    starts[start.run] = start
    metrics.take(start)
    // Slots that start together share a wake.
    if pastWakes.last.map({ wall.milliseconds - $0.milliseconds > 2 }) ?? true {
      Self.append(wall, to: &pastWakes)
    }
  }

  /// Takes runs that a former takt has ended, the newest first.
  mutating func take(former runs: [StoredRun]) {
    for run in runs where run.kind != RunBeginning.Kind.hook.rawValue && run.outcome != nil {
      // What this takt has ended meanwhile is known.
      guard let name = JobName(run.job), firstRun.map({ run.run < $0 }) ?? true else { continue }
      change(name) { $0.takeOlder(run) }
    }
  }

  /// A run that has begun, whether it has ended or not; nil for one that is not remembered.
  func run(_ id: RunID) -> StoredRun? {
    begun[id] ?? ended.last { $0.run == id }
  }

  /// The runs that are wanted of those that are remembered, the newest first.
  func runs(_ query: RunQuery) -> [StoredRun] {
    let all = (Array(begun.values) + ended).sorted { $0.run > $1.run }
    return Array(all.lazy.filter(query.wants).prefix(query.limit))
  }

  private mutating func take(_ entry: LedgerEntry, at now: Now) {
    switch entry {
    case .verdict(let record):
      metrics.take(record)
      let start = record.run.flatMap { starts.removeValue(forKey: $0) }
      Self.append(
        PastSlot(
          job: record.job, slot: record.slots.last,
          due: start.map { record.at - $0.lateness } ?? record.slots.last,
          window: start?.window ?? .zero, verdict: record.verdict.name, at: record.at),
        to: &pastSlots)
    case .began(let run), .claimed(let run):
      if firstRun == nil { firstRun = run.run }
      begun[run.run] = StoredRun(
        run: run.run, job: run.job.text, slot: run.slot, kind: run.kind.rawValue,
        hook: run.hook?.rawValue, parent: run.parent, beganAt: run.at, attempts: run.attempt)
      begunAt[run.run] = now.monotonic
    case .attemptBegan(let run, let attempt, _):
      begun[run]?.attempts = attempt
      begunAt[run] = now.monotonic
    case .process(let run, _):
      if let since = begunAt.removeValue(forKey: run) {
        metrics.startLatency.add(now.monotonic - since)
      }
    case .attemptOutput(let run, let attempt, let output, _):
      outputs.add(StoredOutput(attempt: attempt, output: output), of: run)
    case .ended(let record): end(record)
    case .scheduleEnded(let name, _):
      jobs[name] = nil
      resting[name] = nil
      removed.insert(name)
    case .schedule(let version): removed.remove(version.job)
    case .pending, .mark, .backedOff, .settled, .clockStepped, .reloaded: break
    }
  }

  private mutating func end(_ record: RunRecord) {
    progress[record.run] = nil
    begunAt[record.run] = nil
    var run =
      begun.removeValue(forKey: record.run)
      ?? StoredRun(
        run: record.run, job: record.job.text, slot: record.slot,
        kind: (record.hook == nil ? RunBeginning.Kind.slot : .hook).rawValue,
        hook: record.hook?.rawValue)
    run.endedAt = record.endedAt
    run.duration = run.beganAt == nil ? nil : record.duration
    run.attempts = record.attempts
    run.outcome = record.end.outcome.rawValue
    run.reason = "\(record.end.reason)"
    Self.append(run, to: &ended, max: Self.runsMax)
    outputs.add(StoredOutput(attempt: record.attempts, output: record.output), of: record.run)
    metrics.take(record)
    // One that never began was no run of which anybody wants to know how it went.
    guard record.hook == nil, record.attempts > 0 else { return }
    change(record.job) { $0.take(run) }
  }

  private mutating func change(_ name: JobName, _ body: (inout JobSight) -> Void) {
    guard removed.isEmpty || !removed.contains(name) else { return }
    body(&jobs[name, default: JobSight()])
  }

  private mutating func takeTimer(_ record: LogRecord) {
    guard case .text(let job)? = record[.job], case .text(let state)? = record[.to],
      let name = JobName(job)
    else { return }
    // Nearly all run nearly always: only the others are kept.
    resting[name] = state == "running" || removed.contains(name) ? nil : state
  }

  private mutating func takeProgress(_ record: LogRecord) {
    guard case .number(let number)? = record[.run] else { return }
    let run = RunID(UInt64(clamping: number))
    guard begun[run] != nil else { return }
    var known = progress[run] ?? RunProgress(percent: 0)
    if case .number(let percent)? = record[.percent] { known.percent = percent }
    if case .text(let message)? = record[.message] { known.message = message }
    progress[run] = known
  }

  private static func append<Item>(
    _ item: Item, to items: inout Deque<Item>, max: Int = pastMax
  ) {
    if items.count == max { items.removeFirst() }
    items.append(item)
  }
}
