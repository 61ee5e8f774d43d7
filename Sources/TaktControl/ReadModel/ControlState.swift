import DequeModule
package import TaktCore
package import TaktTime

/// The state of jobs and runs besides the scheduler's. A value that `ControlReadModel` feeds and
/// reads.
package struct ControlState {
  /// The most ended runs that are remembered.
  static let runsMax = 2_000
  /// The most past slots, and past wake-ups, for the timeline.
  static let pastMax = 20_000

  struct PastSlot {
    var job: JobName
    var slot: WallInstant
    /// The earliest start, and the time in which it may start.
    var due: WallInstant
    var window: Duration
    var verdict: Verdict
    var at: WallInstant
    var run: RunID?
    /// The number of consecutive slots it represents, of which it is the last.
    var count = 1
  }

  var ring = EventRing()
  var metrics = Metrics()
  private(set) var jobs: [JobName: JobHistory] = [:]
  /// True to keep a histogram of each job's durations.
  private var measuresDurations: Bool
  /// Jobs that a reload has removed, whose runs may still end.
  private var removed: Set<JobName> = []
  /// The first run of this daemon.
  private var firstRun: RunID?
  /// Runs that have begun and have not ended.
  private(set) var begun: [RunID: StoredRun] = [:]
  /// The times when they were recorded as begun, on the monotonic clock.
  private var begunAt: [RunID: MonotonicInstant] = [:]
  /// Runs that have ended, newest last.
  private(set) var ended: Deque<StoredRun> = []
  /// The output of the last attempts: the ledger may not have it yet, or there may be none.
  private(set) var outputs = RecentOutputs()
  private(set) var progress: [RunID: RunProgress] = [:]
  /// Slots whose runs have started and whose verdicts have not arrived yet.
  private var starts: [RunID: SlotStart] = [:]
  private(set) var pastSlots: Deque<PastSlot> = []
  private(set) var pastWakes: Deque<WallInstant> = []
  private(set) var stalls = StallLog()
  private(set) var missed = MissedSlots()
  /// The time of this daemon's first decision of a slot.
  private var firstDecision: WallInstant?

  package init(_ settings: MetricsSettings = MetricsSettings()) {
    measuresDurations = settings.hasHistograms
  }

  mutating func adopt(_ settings: MetricsSettings) {
    guard settings.hasHistograms != measuresDurations else { return }
    measuresDurations = settings.hasHistograms
    for name in jobs.keys { jobs[name]?.counts.forgetDurations() }
  }

  package mutating func apply(_ entries: [LedgerEntry], at now: Now) {
    if !entries.isEmpty { stalls.happened(at: now.wall) }
    for entry in entries { apply(entry, at: now) }
  }

  package mutating func apply(_ records: [LogRecord]) {
    for record in records {
      ring.append(record)
      stalls.happened(at: record.at)
      switch record.fact {
      case .progress(let run, let percent, let message)? where begun[run] != nil:
        var known = progress[run] ?? RunProgress(percent: 0)
        if let percent { known.percent = percent }
        if let message { known.message = message }
        progress[run] = known
      case .serviceRestart(let plugin)?: metrics.countRestart(of: plugin)
      case .slept(let time)?: stalls.slept(time, until: record.at)
      case .progress, .rawLine, nil: break
      }
    }
  }

  /// Notes a periodic action.
  mutating func beat(due: WallInstant, at now: WallInstant) { stalls.beat(due: due, at: now) }

  package mutating func apply(_ start: SlotStart, at wall: WallInstant) {
    change(start.job) { history in
      history.lateness = start.lateness
      history.window = start.window
    }
    starts[start.run] = start
    stalls.slotStarted(due: wall - start.lateness, window: start.window, at: wall)
    metrics.count(start)
    // Slots that start together share a wake-up.
    if pastWakes.last.map({ wall.milliseconds - $0.milliseconds > 2 }) ?? true {
      Self.append(wall, to: &pastWakes)
    }
  }

  /// Takes runs that a previous daemon ended, newest first.
  mutating func restore(previous runs: [StoredRun]) {
    for run in runs where run.head.kind.isOfNow && run.end != nil {
      // Runs that this daemon has ended since are known.
      guard firstRun.map({ run.head.run < $0 }) ?? true else { continue }
      change(run.head.job) { $0.addOlder(run) }
    }
  }

  /// Takes verdicts of previous daemons, newest first.
  mutating func restore(previous records: [VerdictRecord]) {
    for record in records where firstDecision.map({ record.at < $0 }) ?? true {
      change(record.job) { $0.decideOlder(record) }
      missed.addOlder(record)
    }
  }

  /// The jobs whose slots pass without a run, in no order, suspended ones included.
  var jobsPassing: [JobName] { jobs.lazy.filter(\.value.isStale).map(\.key) }

  /// The jobs whose last run ended its own work in the background, in no order.
  var jobsEndingWork: [JobName] {
    jobs.lazy.filter { $0.value.last?.end?.hasEndedWork ?? false }.map(\.key)
  }

  /// A run that has begun, ended or not; nil if it is not remembered.
  func run(_ id: RunID) -> StoredRun? {
    begun[id] ?? ended.last { $0.head.run == id }
  }

  /// The remembered runs that match the query, newest first.
  func runs(_ query: RunQuery) -> [StoredRun] {
    let all = (Array(begun.values) + ended).sorted { $0.head.run > $1.head.run }
    return Array(all.lazy.filter(query.wants).prefix(query.limit))
  }

  private mutating func apply(_ entry: LedgerEntry, at now: Now) {
    switch entry {
    case .verdict(let record):
      metrics.count(record)
      stalls.slotsPassed(record)
      missed.add(record)
      if firstDecision == nil { firstDecision = record.at }
      let start = record.run.flatMap { starts.removeValue(forKey: $0) }
      Self.append(
        PastSlot(
          job: record.job, slot: record.slots.last,
          due: start.map { record.at - $0.lateness } ?? record.slots.last,
          window: start?.window ?? .zero, verdict: record.verdict, at: record.at, run: record.run,
          count: record.slots.count),
        to: &pastSlots)
      change(record.job) { history in
        history.decide(record)
        history.counts.add(record)
      }
    case .began(let run):
      let head = run.head
      if firstRun == nil { firstRun = head.run }
      begun[head.run] = StoredRun(head, beganAt: run.at, attempts: run.attempt)
      begunAt[head.run] = now.monotonic
    // A claim only means to start, and may never do so.
    case .claimed(let run):
      if firstRun == nil { firstRun = run.head.run }
      begun[run.head.run] = StoredRun(run.head)
      begunAt[run.head.run] = now.monotonic
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
      removed.insert(name)
    case .schedule(let version): removed.remove(version.job)
    case .pending, .checkpoint, .backedOff, .attemptUse, .settled, .rare(.reloaded), .rare(.once),
      .rare(.onceRemoved), .rare(.service), .rare(.serviceEnded), .rare(.joined),
      .rare(.ranUnclaimed), .rare(.reported):
      break
    case .rare(.parameters(let parameters, let run)): given(parameters, run)
    case .rare(.clockStepped): stalls.clockStepped(at: now.wall)
    }
  }

  private mutating func given(_ parameters: Shared<ShownParameters>, _ run: RunID) {
    if begun[run] != nil {
      begun[run]?.parameters = parameters
    } else if let index = ended.lastIndex(where: { $0.head.run == run }) {
      ended[index].parameters = parameters
    }
  }

  private mutating func end(_ record: RunRecord) {
    let head = record.head
    progress[head.run] = nil
    begunAt[head.run] = nil
    let known = begun.removeValue(forKey: head.run)
    var run = known ?? StoredRun(head)
    run.apply(record)
    // For a run of a previous daemon, only the ledger knows its start and its trigger's parameters.
    if known != nil || record.end != RunEnd(.interrupted, .down) {
      Self.append(run, to: &ended, max: Self.runsMax)
    }
    outputs.add(StoredOutput(attempt: record.attempts, output: record.totals.output), of: head.run)
    metrics.count(record)
    if head.kind != .hook {
      change(head.job) { [measuresDurations] in
        $0.counts.add(record, measured: measuresDurations)
      }
    }
    // A run that never began says nothing of how the job fares.
    guard head.kind.isOfNow, record.attempts > 0 else { return }
    change(head.job) { $0.add(run) }
  }

  private mutating func change(_ name: JobName, _ body: (inout JobHistory) -> Void) {
    guard removed.isEmpty || !removed.contains(name) else { return }
    body(&jobs[name, default: JobHistory()])
  }

  private static func append<Item>(_ item: Item, to items: inout Deque<Item>, max: Int = pastMax) {
    if items.count == max { items.removeFirst() }
    items.append(item)
  }
}

/// The output of the last attempts, within a bound.
struct RecentOutputs {
  private static let countMax = 256
  private static let bytesMax = 4 << 20

  private var outputs: Deque<(run: RunID, output: StoredOutput)> = []
  private var bytes = 0

  /// Adds an attempt's output; the oldest is dropped when there is too much.
  mutating func add(_ output: StoredOutput, of run: RunID) {
    guard !output.output.isEmpty else { return }
    outputs.append((run, output))
    bytes += Self.size(of: output)
    while outputs.count > Self.countMax || bytes > Self.bytesMax {
      bytes -= Self.size(of: outputs.removeFirst().output)
    }
  }

  /// The output of a run's attempts that are among the last.
  subscript(run: RunID) -> [StoredOutput] {
    outputs.filter { $0.run == run }.map(\.output)
  }

  private static func size(of output: StoredOutput) -> Int {
    output.output.head.count + output.output.tail.count
  }
}

extension RunHead.Kind {
  /// True if it shows how the job fares now: a hook does not, and neither does a past slot.
  fileprivate var isOfNow: Bool {
    switch self {
    case .slot, .manual, .resumed: true
    case .hook, .backfill: false
    }
  }
}
