import TaktCore
@testable import TaktTesting
import TaktTime

/// The simulation of `TaktTesting`, draw by draw, with both cores in it.
struct TwinSimulation {
  private var random: SplitMix64
  private(set) var scheduler: TwinScheduler
  private var snapshot: Snapshot
  private var isFinished = false
  private var books = MemoryBooks()
  /// What the ledger has taken and not yet written: a crash loses it.
  private var unwritten: [[LedgerEntry]] = []
  private var awaiting: [RunID] = []
  private let crashes: Bool
  private(set) var records: [VerdictRecord] = []

  init(seed: UInt64, crashes: Bool = false) {
    random = SplitMix64(seed: seed)
    self.crashes = crashes
    scheduler = TwinScheduler(
      at: Now(
        wall: WallInstant(nanoseconds: 1_790_000_000_000_000_000 + Int64(seed) * 123_457),
        monotonic: MonotonicInstant(nanoseconds: 5_000_000_000)))
    snapshot = SpecGenerator.snapshot(at: scheduler.now, &random)
  }

  private var now: Now { scheduler.now }

  mutating func run(for duration: Duration) {
    perform(scheduler.start(snapshot))
    let end = now.monotonic + duration
    while now.monotonic < end, scheduler.isSame {
      let chaosAt = now.monotonic + .milliseconds(Int.random(in: 1...4000, using: &random))
      advance(to: min(end, chaosAt))
      if now.monotonic < end { makeChaos() }
    }
    handle(.stop)
    for _ in 0..<3 where !isFinished {
      advance(to: now.monotonic + .milliseconds(Int.random(in: 0...5000, using: &random)))
      if !isFinished { handle(.stop) }
    }
    advance(to: now.monotonic + .seconds(60))
  }

  private mutating func crash() {
    unwritten = []
    awaiting = []
    scheduler.crash()
    scheduler.pass(.milliseconds(Int.random(in: 0...20_000, using: &random)))
    if random.oneIn(3) {
      books.reboot()
      scheduler.now.monotonic = MonotonicInstant(
        nanoseconds: Int64.random(in: 1...9_000_000_000, using: &random))
      scheduler.now.wall = now.wall + .seconds(Int.random(in: -10...10, using: &random))
    }
    if random.oneIn(3) { snapshot = SpecGenerator.mutation(of: snapshot, at: now, &random) }
    let former = books.former
    perform(scheduler.start(snapshot, after: former))
    scheduler.comparePreviews(after: former)
  }

  private mutating func flushLedger() {
    for entries in unwritten { books.record(entries) }
    unwritten = []
    let kept = awaiting
    awaiting = []
    for run in kept { handle(.kept(run)) }
  }

  private mutating func advance(to end: MonotonicInstant) {
    while !isFinished, scheduler.isSame {
      if !random.oneIn(4) { flushLedger() }
      guard let due = scheduler.next(until: end) else { break }
      for one in due where !isFinished { take(one) }
    }
    scheduler.move(to: end)
  }

  private mutating func take(_ due: VirtualScheduler.Due) {
    if case .end(let run, .attempt(_, let left)) = due, !left.isEmpty {
      scheduler.setEnd(of: run, .group, at: soon(within: 500))
    }
    handle(due.event)
  }

  private mutating func soon(within milliseconds: Int) -> MonotonicInstant {
    now.monotonic + .milliseconds(Int.random(in: 0...milliseconds, using: &random))
  }

  private mutating func makeChaos() {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1:
      snapshot = SpecGenerator.mutation(of: snapshot, at: now, &random)
      perform(scheduler.reload(to: snapshot))
    case 2: suspend()
    case 3: step(by: .milliseconds(Int64.random(in: -5000...5000, using: &random)))
    case 4 where crashes: crash()
    case 4: step(by: .seconds(Int64.random(in: -20...20, using: &random)))
    default: scheduler.pass(.milliseconds(Int.random(in: 1...8000, using: &random)))
    }
  }

  private mutating func suspend() {
    guard let job = snapshot.jobs.randomElement(using: &random) else { return }
    if random.oneIn(3) {
      handle(.commanded(.resume(job.name)))
    } else {
      let until = now.wall + .milliseconds(Int.random(in: -100...9000, using: &random))
      handle(
        .commanded(
          .suspend(job.name, until: random.oneIn(3) ? nil : until, reason: "test")))
    }
  }

  private mutating func step(by step: Duration) { perform(scheduler.step(by: step)) }

  private mutating func handle(_ event: SchedulerEvent) { perform(scheduler.send(event)) }

  private mutating func perform(_ effects: [SchedulerEffect]) {
    let entries = effects.compactMap { effect -> LedgerEntry? in
      if case .record(let entry) = effect { entry } else { nil }
    }
    for case .verdict(let record) in entries { records.append(record) }
    if !entries.isEmpty { unwritten.append(entries) }
    for effect in effects {
      switch effect {
      case .arm(let key, let deadline, let leeway, let token):
        let lag = Duration.microseconds(Int.random(in: 0...300, using: &random))
        let window = leeway * Double.random(in: 0...1, using: &random)
        scheduler.arm(key, max(now.monotonic, deadline) + window + lag, token: token)
      case .start(let request): start(request)
      case .signal(let run, let signal): stop(run, isKill: signal == .kill)
      case .awaitLedger(let run): awaiting.append(run)
      case .disarm, .record, .served, .log: break
      case .finish: isFinished = true
      }
    }
  }

  private mutating func start(_ request: AttemptRequest) {
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
    // Some processes do not listen to TERM.
    guard var end = scheduler.end(of: run), isKill || !random.oneIn(4) else { return }
    if case .attempt = end { end = .attempt(.signalled(isKill ? 9 : 15)) }
    scheduler.setEnd(of: run, end, at: soon(within: 20))
  }
}
