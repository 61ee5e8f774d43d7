package import TaktCore
import TaktTime

/// Runs the real `SchedulerCore` in virtual time under random trouble: slow runs, reloads, steps of
/// the wall clock, stalls, stops. Oracles check the ledger.
package struct Simulation {
  private var random: SplitMix64
  private var scheduler: VirtualScheduler
  private var oracle = SlotOracle()
  private var runOracle = RunOracle()
  private var snapshot: Snapshot
  private var isFinished = false
  private var ledger = LedgerModel()
  /// Entries that the ledger has not written yet: a crash loses them.
  private var unwritten: [[LedgerEntry]] = []
  private var awaiting: [RunID] = []
  /// All that the ledger has written, an element for each write. A reboot is an empty list.
  package private(set) var kept: [[LedgerEntry]] = []
  /// The slots of `after: {all: […]}`.
  package var gatheredSlots: Int { afterAll.slotCount }
  /// The runs of backfills that have ended.
  package var backfillCount: Int { backfills.endedCount }
  /// The slots that were skipped because a condition did not hold.
  package var conditionSkips: Int { conditions.skippedCount }
  /// True if takt is killed now and then.
  private let crashes: Bool
  private var starts = StartOracle()
  private var afterAll = AfterAllOracle()
  private var conditions = ConditionOracle()
  private var backfills = BackfillOracle()
  /// The jobs that the current turn changes.
  private var changing: Set<JobName> = []
  private var isStarting = false

  /// Every verdict, in order.
  package private(set) var records: [VerdictRecord] = []
  /// All events, a line each, for a person who debugs a seed that failed.
  package private(set) var story: [String] = []

  /// - Parameter crashes: true if takt is killed now and then, and the machine with it.
  package init(seed: UInt64, crashes: Bool = false) {
    random = SplitMix64(seed: seed)
    self.crashes = crashes
    scheduler = VirtualScheduler(
      at: Now(
        wall: WallInstant(nanoseconds: 1_790_000_000_000_000_000 + Int64(seed) * 123_457),
        monotonic: MonotonicInstant(nanoseconds: 5_000_000_000)))
    snapshot = SpecGenerator.snapshot(at: scheduler.now, &random)
  }

  private var now: Now { scheduler.now }

  /// Runs for `duration` of virtual time, then stops takt and waits for its end. Returns the
  /// problems of the ledger.
  package mutating func run(for duration: Duration) -> [String] {
    for job in snapshot.jobs {
      oracle.apply(job, to: job.name, at: now)
      oracle.occurred([.start, .boot], of: job, at: now)
    }
    start(after: PreviousState())
    let end = now.monotonic + duration
    while now.monotonic < end {
      let chaosAt = now.monotonic + .milliseconds(Int.random(in: 1...4000, using: &random))
      advance(to: min(end, chaosAt))
      if now.monotonic < end { makeChaos() }
    }
    let stoppedAt = now
    handle(.stop)
    for _ in 0..<3 where !isFinished {
      advance(to: now.monotonic + .milliseconds(Int.random(in: 0...5000, using: &random)))
      if !isFinished { handle(.stop) }
    }
    advance(to: now.monotonic + .seconds(60))
    flushLedger()
    var problems =
      ledger.audit().map(\.description) + starts.problems + afterAll.problems
      + conditions.problems + backfills.problems
    // They know one life of takt.
    if !crashes {
      // Delayed slots wait for the next daemon.
      oracle.finish(at: stoppedAt, pending: ledger.pending)
      runOracle.finish()
      problems += oracle.problems + runOracle.problems
    }
    return problems + (isFinished ? [] : ["takt did not end"])
  }

  /// takt is killed with all its runs; entries that the ledger has not written are lost. Another
  /// daemon starts later, perhaps after a reboot.
  private mutating func crash() {
    story.append("crash, \(unwritten.count) turns unwritten")
    unwritten = []
    awaiting = []
    scheduler.crash()
    starts.crashed()
    afterAll.crashed()
    conditions.crashed()
    scheduler.pass(.milliseconds(Int.random(in: 0...20_000, using: &random)))
    if random.oneIn(3) {
      story.append("reboot")
      ledger.reboot()
      kept.append([])
      scheduler.now.monotonic = MonotonicInstant(
        nanoseconds: Int64.random(in: 1...9_000_000_000, using: &random))
      scheduler.now.wall = now.wall + .seconds(Int.random(in: -10...10, using: &random))
    }
    if random.oneIn(3) { snapshot = SpecGenerator.mutation(of: snapshot, at: now, &random) }
    starts.begin(ledger.previous)
    start(after: ledger.previous)
  }

  private mutating func start(after previous: PreviousState) {
    afterAll.apply(snapshot.jobs)
    conditions.apply(snapshot.jobs)
    isStarting = true
    handle(.started(snapshot, after: previous))
    isStarting = false
  }

  private mutating func flushLedger() {
    for entries in unwritten { ledger.record(entries) }
    kept += unwritten
    unwritten = []
    afterAll.wrote()
    conditions.wrote()
    let kept = awaiting
    awaiting = []
    for run in kept { handle(.kept(run)) }
  }

  /// Lets timers fire and runs end, in the order of their times, up to an instant.
  private mutating func advance(to end: MonotonicInstant) {
    while !isFinished {
      if !random.oneIn(4) { flushLedger() }
      guard let due = scheduler.next(until: end) else { break }
      for one in due where !isFinished { perform(one) }
    }
    scheduler.move(to: end)
  }

  private mutating func perform(_ due: VirtualScheduler.Due) {
    if case .end(let run, .attempt(_, let left, _)) = due, !left.isEmpty {
      scheduler.setEnd(of: run, .group, at: soon(within: 500))
    }
    handle(due.event)
  }

  private mutating func soon(within milliseconds: Int) -> MonotonicInstant {
    now.monotonic + .milliseconds(Int.random(in: 0...milliseconds, using: &random))
  }

  private mutating func makeChaos() {
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1: reload()
    case 6: backfill()
    case 2: suspend()
    case 3: step(by: .milliseconds(Int64.random(in: -5000...5000, using: &random)))
    case 4 where crashes: crash()
    case 4: step(by: .seconds(Int64.random(in: -20...20, using: &random)))
    default:
      // A stall: nothing fires while time passes.
      story.append("stall")
      scheduler.pass(.milliseconds(Int.random(in: 1...8000, using: &random)))
    }
  }

  private mutating func reload() {
    let next = SpecGenerator.mutation(of: snapshot, at: now, &random)
    let plan = ReloadPlan(from: snapshot, to: next)
    story.append("reload: \(plan.steps.map { "\($0.change) \($0.spec.name)" })")
    let before = records.count
    let effects = scheduler.send(.reloaded(plan))
    // Slots that were due are decided under the old specs; those of a new job under the new ones.
    let added = Set(plan.steps.filter { $0.change == .added }.map(\.spec.name))
    check(effects) { !added.contains($0.job) }
    for step in plan.steps {
      oracle.apply(step.change == .removed ? nil : step.spec, to: step.spec.name, at: now)
      if step.change != .removed { oracle.occurred([.reload], of: step.spec, at: now) }
    }
    check(effects) { added.contains($0.job) }
    snapshot = next
    afterAll.apply(next.jobs)
    conditions.apply(next.jobs)
    changing = Set(plan.steps.map(\.spec.name))
    story.append("  \(records.count - before) records")
    perform(effects)
    changing = []
  }

  /// Runs slots of the past, some of them beside others.
  private mutating func backfill() {
    guard let job = snapshot.jobs.randomElement(using: &random) else { return }
    story.append("backfill \(job.name)")
    for back in 1...3 {
      let slot = WallInstant(milliseconds: now.wall.milliseconds - Int64(back) * 5000)
      handle(.commanded(.backfill(job.name, slot: slot, isForced: random.oneIn(3))))
    }
  }

  private mutating func suspend() {
    guard let job = snapshot.jobs.randomElement(using: &random) else { return }
    if random.oneIn(3) {
      story.append("resume \(job.name)")
      handle(.commanded(.resume(job.name)))
    } else {
      story.append("suspend \(job.name)")
      let until = now.wall + .milliseconds(Int.random(in: -100...9000, using: &random))
      handle(.commanded(.suspend(job.name, until: random.oneIn(3) ? nil : until, reason: "test")))
    }
  }

  private mutating func step(by step: Duration) {
    story.append("step \(step)")
    checkAndPerform(scheduler.step(by: step))
  }

  private mutating func handle(_ event: SchedulerEvent) {
    checkAndPerform(scheduler.send(event))
  }

  private mutating func checkAndPerform(_ effects: [SchedulerEffect]) {
    check(effects) { _ in true }
    perform(effects)
  }

  private mutating func check(
    _ effects: [SchedulerEffect], _ isWanted: (VerdictRecord) -> Bool
  ) {
    for case .record(.verdict(let record)) in effects where isWanted(record) {
      records.append(record)
      story.append(
        "\(now.monotonic.nanoseconds / 1_000_000) \(record.job) \(record.verdict) \(record.slots)")
      oracle.check(record)
    }
  }

  private mutating func perform(_ effects: [SchedulerEffect]) {
    let entries = effects.compactMap { effect -> LedgerEntry? in
      if case .record(let entry) = effect { entry } else { nil }
    }
    if !entries.isEmpty { unwritten.append(entries) }
    starts.observe(entries)
    conditions.observe(entries)
    backfills.observe(entries)
    afterAll.observe(entries, changed: changing, isStart: isStarting, at: now.wall)
    for effect in effects {
      switch effect {
      case .arm(let key, let deadline, _, let leeway, let token):
        // Anywhere in its leeway, and a little late.
        let lag = Duration.microseconds(Int.random(in: 0...300, using: &random))
        let window = leeway * Double.random(in: 0...1, using: &random)
        scheduler.arm(key, max(now.monotonic, deadline) + window + lag, token: token)
      case .start(let request): start(request)
      case .signal(let run, let signal): stop(run, isKill: signal == .kill)
      case .log(let record): runOracle.observe(record)
      case .awaitLedger(let run): awaiting.append(run)
      case .holdTimer, .disarm, .record, .claims, .leased, .served: break
      case .finish: isFinished = true
      }
    }
  }

  private mutating func start(_ request: AttemptRequest) {
    starts.start(request)
    runOracle.start(request, settings: snapshot.settings, isBackfill: backfills.has(request.run))
    let results: [AttemptResult] = [
      .exited(0), .exited(0), .exited(1), .signalled(9), .notStarted(.exec, errno: 2),
    ]
    let result = results.randomElement(using: &random) ?? .exited(0)
    let milliseconds = random.oneIn(3) ? 8000 : 50
    var left: [Descendant] = []
    if case .exited = result, random.oneIn(6) {
      left = (0..<2).map { Descendant(pid: $0, name: "left") }
    }
    scheduler.setEnd(
      of: request.run, .attempt(result, leaving: left), at: soon(within: milliseconds))
  }

  private mutating func stop(_ run: RunID, isKill: Bool) {
    // Some processes ignore TERM.
    guard var end = scheduler.end(of: run), isKill || !random.oneIn(4) else { return }
    if case .attempt = end { end = .attempt(.signalled(isKill ? 9 : 15)) }
    scheduler.changeEnd(of: run, end, at: soon(within: 20))
  }
}
