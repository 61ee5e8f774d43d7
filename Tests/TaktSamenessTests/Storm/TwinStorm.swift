import TaktCore
import TaktTime

@testable import TaktTesting

/// Both cores under everything at once: reloads in the midst of runs, commands, crashes, clocks that
/// jump, stops at each phase, and events that are stale, doubled or of nobody.
struct TwinStorm {
  private(set) var scheduler: TwinScheduler
  private var random: SplitMix64
  private let specs: StormSpecs
  private let size: Int
  private var snapshot: Snapshot
  /// Sets of jobs that there were, which may come back.
  private var earlier: [Snapshot] = []
  private var books = MemoryBooks()
  private var unwritten: [[LedgerEntry]] = []
  private var awaiting: [RunID] = []
  private var isLedgerSilent = false
  private var isFinished = false
  private var lastRun: UInt64 = 0
  private var armings: [(key: PresentTimer, token: UInt64)] = []
  private var reports: [SchedulerEvent] = []

  /// - Parameter size: how many jobs there are to begin with.
  init(seed: UInt64, size: Int, isSlow: Bool) {
    random = SplitMix64(seed: seed &* 0x9e37_79b9 &+ 77)
    specs = StormSpecs(isSlow: isSlow)
    self.size = size
    let wall =
      isSlow
      ? StormTimings.start(&random)
      : WallInstant(nanoseconds: 1_790_000_000_000_000_000 + Int64(seed) * 123_457)
    scheduler = TwinScheduler(
      at: Now(wall: wall, monotonic: MonotonicInstant(nanoseconds: 5_000_000_000)),
      isPunctual: random.oneIn(4), isQuiet: random.oneIn(8))
    snapshot = specs.snapshot(of: size, at: scheduler.now, &random)
  }

  private var now: Now { scheduler.now }
  private var goesOn: Bool { scheduler.isSame }

  mutating func run(steps: Int) {
    if random.oneIn(8) { confuse() }
    perform(scheduler.start(snapshot))
    for _ in 0..<steps where goesOn {
      advance(by: pause())
      for _ in 0..<Int.random(in: 1...3, using: &random) where goesOn { act() }
      if isFinished, goesOn { restart() }
    }
    stopForGood()
  }

  /// Mostly short, so that runs are in all their states.
  private mutating func pause() -> Duration {
    let unit = specs.isSlow ? 600_000 : 1000
    return .milliseconds(Int.random(in: 0...(random.oneIn(4) ? 6 : 1) * unit, using: &random))
  }

  private mutating func stopForGood() {
    for _ in 0..<4 where !isFinished && goesOn {
      perform(scheduler.send(.stop))
      advance(by: .milliseconds(Int.random(in: 0...9000, using: &random)))
      if random.oneIn(3) { act() }
    }
    advance(by: .seconds(90))
    if random.oneIn(2), goesOn { _ = scheduler.passHeld() }
  }

  // MARK: Time

  private mutating func advance(by duration: Duration) {
    let end = now.monotonic + duration
    var eventsLeft = 1500
    while !isFinished, goesOn, eventsLeft > 0 {
      flushLedger()
      guard let due = scheduler.next(until: end) else { break }
      for one in due where !isFinished && goesOn { take(one) }
      eventsLeft -= due.count
    }
    scheduler.move(to: end)
  }

  private mutating func take(_ due: VirtualScheduler.Due) {
    var event = due.event
    if case .attemptEnded(let run, var report) = event {
      if !report.descendants.isEmpty {
        scheduler.setEnd(of: run, .group, at: soon(within: 800))
      }
      report.output = output()
      event = .attemptEnded(run, report)
      remember(event)
    }
    perform(scheduler.send(event))
  }

  private mutating func soon(within milliseconds: Int) -> MonotonicInstant {
    now.monotonic + .milliseconds(Int.random(in: 0...milliseconds, using: &random))
  }

  private mutating func output() -> OutputFacts {
    let bytes = (0..<Int.random(in: 0...9, using: &random)).map { UInt8($0 + 65) }
    let split = Int.random(in: 0...bytes.count, using: &random)
    return OutputFacts(
      stdoutBytes: bytes.count, stderrBytes: random.oneIn(4) ? 3 : 0,
      matchesFailurePattern: random.oneIn(4),
      kept: KeptOutput(
        head: Array(bytes[..<split]), tail: Array(bytes[split...]),
        droppedBytes: random.oneIn(3) ? 5 : 0))
  }

  private mutating func flushLedger() {
    if isLedgerSilent || random.oneIn(5) { return }
    for entries in unwritten { books.record(entries) }
    unwritten = []
    let kept = awaiting
    awaiting = []
    for run in kept where goesOn && !isFinished { perform(scheduler.send(.kept(run))) }
  }

  // MARK: What happens

  private mutating func act() {
    switch Int.random(in: 0..<24, using: &random) {
    case 0...5: reload()
    case 6...10: command()
    case 11, 12: confuse()
    case 13: perform(scheduler.step(by: jump()))
    case 14:
      let slept = jump()
      perform(scheduler.step(by: slept, slept: max(.zero, slept)))
    case 15: scheduler.pass(pause() * 3)
    case 16: isLedgerSilent.toggle()
    case 17: renewLedger()
    case 18: change()
    case 19: flood()
    case 20: if random.oneIn(3) { crash() }
    case 21: if random.oneIn(2) { perform(scheduler.send(.dumpStatus)) }
    case 22: if random.oneIn(4) { perform(scheduler.send(.stop)) }
    default: perform(scheduler.reload(to: snapshot))
    }
  }

  private mutating func jump() -> Duration {
    let most: Int64 = specs.isSlow ? 20_000_000 : 8000
    return .milliseconds(
      Int64.random(in: -most...most, using: &random) / (random.oneIn(3) ? 100 : 1))
  }

  private mutating func reload() {
    earlier.append(snapshot)
    if earlier.count > 6 { earlier.removeFirst() }
    if random.oneIn(5), let back = earlier.randomElement(using: &random) {
      snapshot = back
    } else {
      snapshot = specs.mutation(of: snapshot, at: now, &random)
    }
    perform(scheduler.reload(to: snapshot))
  }

  private mutating func command() {
    let command = StormCommands.command(
      for: snapshot.jobs.randomElement(using: &random), lastRun: lastRun, at: now, &random)
    if random.oneIn(4) {
      perform(scheduler.send(.commanded(command)))
    } else {
      perform(scheduler.obey(command).effects)
    }
  }

  /// More runs of a job than may wait.
  private mutating func flood() {
    guard random.oneIn(6), let job = snapshot.jobs.randomElement(using: &random) else { return }
    for _ in 0..<Int.random(in: 2...90, using: &random) where goesOn {
      perform(scheduler.obey(.trigger(job.name, isForced: random.oneIn(2))).effects)
    }
  }

  private mutating func change() {
    let name = snapshot.jobs.randomElement(using: &random)?.name ?? JobName("nobody")
    guard let name, let watch = StormSpecs.watches.randomElement(using: &random) else { return }
    perform(scheduler.send(.changed(name, watch)))
  }

  /// The ledger has lost its books, and is told everything again.
  private mutating func renewLedger() {
    books = MemoryBooks()
    unwritten = []
    perform(scheduler.send(.ledgerRenewed))
  }

  /// Events that are stale, doubled, or of jobs and runs that never were.
  private mutating func confuse() {
    let run = RunID(UInt64.random(in: 1...lastRun + 2, using: &random))
    var event = reports.randomElement(using: &random) ?? .groupEnded(run)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: event = .attemptEnded(run, AttemptReport(.exited(1), output: output()))
    case 1: event = .groupEnded(run)
    case 2: event = .kept(run)
    case 3, 4:
      if let stale = armings.randomElement(using: &random) {
        event = .timerFired(stale.key, token: stale.token)
      }
    case 5:
      if let timer = FormerTimers.foreign(run).randomElement(using: &random) {
        event = .timerFired(timer, token: 1 << 40)
      }
    default: break
    }
    perform(scheduler.send(event))
  }

  private mutating func crash() {
    unwritten = []
    awaiting = []
    scheduler.crash()
    restartLater()
  }

  /// takt has come to its end, and is started again.
  private mutating func restart() {
    flushLedger()
    scheduler.crash()
    restartLater()
  }

  private mutating func restartLater() {
    isFinished = false
    armings = []
    reports = []
    let most = specs.isSlow ? 90_000_000 : 20_000
    scheduler.pass(.milliseconds(Int.random(in: 0...most, using: &random)))
    if random.oneIn(3) {
      books.reboot()
      scheduler.now.monotonic = MonotonicInstant(
        nanoseconds: Int64.random(in: 1...9_000_000_000, using: &random))
      scheduler.now.wall = now.wall + jump()
    }
    if random.oneIn(2) { snapshot = specs.mutation(of: snapshot, at: now, &random) }
    var former = books.former
    if random.oneIn(12) {
      former = FormerBooks(lastRun: former.lastRun)
      former.isUnread = true
    }
    perform(scheduler.start(snapshot, after: former))
    scheduler.comparePreviews(after: former)
  }

  // MARK: Effects

  private mutating func perform(_ effects: [SchedulerEffect]) {
    var entries: [LedgerEntry] = []
    for effect in effects {
      switch effect {
      case .arm(let key, let deadline, let leeway, let token): arm(key, deadline, leeway, token)
      case .start(let request): start(request)
      case .signal(let run, let signal): stop(run, isKill: signal == .kill)
      case .awaitLedger(let run): awaiting.append(run)
      case .record(let entry):
        entries.append(entry)
        if case .began(let run) = entry { lastRun = max(lastRun, run.head.run.number) }
      case .disarm, .served, .log: break
      case .finish: isFinished = true
      }
    }
    if !entries.isEmpty { unwritten.append(entries) }
  }

  private mutating func arm(
    _ key: PresentTimer, _ deadline: MonotonicInstant, _ leeway: Duration, _ token: UInt64
  ) {
    if armings.count > 40 { armings.removeFirst(20) }
    armings.append((key, token))
    // Anywhere in its leeway, and now and then much too late.
    let lag = Duration.microseconds(
      Int.random(in: 0...(random.oneIn(20) ? 3_000_000 : 300), using: &random))
    let window = leeway * Double.random(in: 0...1, using: &random)
    scheduler.arm(key, max(now.monotonic, deadline) + window + lag, token: token)
  }

  private mutating func remember(_ report: SchedulerEvent) {
    if reports.count > 10 { reports.removeFirst(5) }
    reports.append(report)
  }

  private static let results: [AttemptResult] =
    [
      .exited(0), .exited(0), .exited(0), .exited(1), .exited(3), .signalled(9), .done, .done,
      .failed("status(500)"),
    ]
    + [StartStage.process, .secret, .user, .limits, .directory, .exec, .stuck].map {
      .notStarted($0, errno: 24)
    }

  private mutating func start(_ request: AttemptRequest) {
    let result = Self.results.randomElement(using: &random) ?? .exited(0)
    let most = random.oneIn(3) ? (specs.isSlow ? 1_800_000 : 8000) : 50
    var left: [Descendant] = []
    if case .exited = result, random.oneIn(5) {
      left = (0..<Int.random(in: 1...25, using: &random)).map {
        Descendant(pid: Int32($0), name: "left")
      }
    }
    scheduler.setEnd(of: request.run, .attempt(result, leaving: left), at: soon(within: most))
  }

  private mutating func stop(_ run: RunID, isKill: Bool) {
    // Some processes do not listen to TERM, and a few cannot even be killed.
    guard var end = scheduler.end(of: run), isKill ? !random.oneIn(12) : !random.oneIn(3) else {
      return
    }
    if case .attempt = end { end = .attempt(.signalled(isKill ? 9 : 15)) }
    scheduler.setEnd(of: run, end, at: soon(within: 20))
  }
}
