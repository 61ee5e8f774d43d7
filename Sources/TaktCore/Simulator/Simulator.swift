import HeapModule
package import TaktTime
import TimerMachine

/// The scheduler in virtual time: the real core and the real wake table on a real set of jobs, with
/// runs that do nothing but last.
///
/// A value without clocks, threads or files. The same jobs, start and faults give the same events.
package struct Simulator {
  /// How long a run lasts whose job does not say how long it is expected to take.
  package static let defaultRunTime = Duration.seconds(1)
  private static let hookTime = Duration.milliseconds(100)

  private final class Alarm: Sendable {
    let key: TimerKey

    init(_ key: TimerKey) { self.key = key }
  }

  private struct End: Comparable {
    var at: MonotonicInstant
    var run: RunID

    static func < (left: Self, right: Self) -> Bool { (left.at, left.run) < (right.at, right.run) }
  }

  private struct Running {
    var job: JobName
    var endsAt: MonotonicInstant
    var result: AttemptResult
  }

  private var core = SchedulerCore()
  private var now: Now
  private let begin: Now
  private var end = MonotonicInstant.distantFuture
  private var snapshot: Snapshot
  private var faults: [SimulatedFault]
  private let runTime: Duration
  private var runTimes: [JobName: Duration] = [:]

  private var table = WakeTable<Alarm>()
  private var alarms: [TimerKey: (alarm: Alarm, slot: UInt32)] = [:]
  /// Of the slot whose verdict comes next.
  private var lateness = Duration.zero
  private var window = Duration.zero
  private var running: [RunID: Running] = [:]
  private var ends = Heap<End>()
  /// Kept only where a crash is to come: what a takt that starts then finds.
  private var books: MemoryBooks?

  /// - Parameters:
  ///   - start: when takt starts, for the first time in its life.
  ///   - runTimes: how long the runs of some jobs last; others as long as their job expects, or
  ///     `runTime`.
  package init(
    _ snapshot: Snapshot, from start: WallInstant, faults: [SimulatedFault] = [],
    runTime: Duration = Self.defaultRunTime, runTimes: [JobName: Duration] = [:]
  ) {
    self.snapshot = snapshot
    begin = Now(wall: start, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))
    now = begin
    self.faults = faults.sorted { $0.at < $1.at }
    self.runTime = runTime
    self.runTimes = runTimes
    core.isQuiet = true
    let hasCrash = faults.contains { if case .crash = $0.kind { true } else { false } }
    if hasCrash { books = MemoryBooks() }
  }

  /// Lets so much time go by, and tells what happens.
  ///
  /// - Parameter observe: called for each event; when it answers false the simulation ends.
  package mutating func run(
    for duration: Duration, _ observe: (SimulatedEvent) -> Bool
  ) {
    end = begin.monotonic + duration
    var goesOn = true
    func tell(_ event: SimulatedEvent) { goesOn = observe(event) && goesOn }
    handle(.started(snapshot), tell)
    while goesOn, now.monotonic <= end, let next = nextInstant, next <= end {
      move(to: max(now.monotonic, next))
      if let fault = faults.first, instant(of: fault) <= now.monotonic {
        faults.removeFirst()
        tell(.fault(fault, at: now.wall))
        perform(fault, tell)
      } else if let first = ends.min, first.at <= now.monotonic {
        ends.removeMin()
        finish(first, tell)
      } else {
        wake(tell)
      }
    }
    if now.monotonic > end { return }
    move(to: end)
    for case .record(let entry) in core.passHeld(at: now) { take(entry, tell) }
  }

  private var nextInstant: MonotonicInstant? {
    let end = ends.min?.at ?? .distantFuture
    let wake = table.nextWake ?? .distantFuture
    let next = min(faults.first.map(instant) ?? .distantFuture, min(end, wake))
    return next == .distantFuture ? nil : next
  }

  private func instant(of fault: SimulatedFault) -> MonotonicInstant {
    begin.monotonic + (fault.at - begin.wall)
  }

  private mutating func move(to instant: MonotonicInstant) {
    now = Now(wall: now.wall + (instant - now.monotonic), monotonic: instant)
  }

  /// One wake serves all windows that are open at its beginning.
  private mutating func wake(_ tell: (SimulatedEvent) -> Void) {
    var served: [(key: TimerKey, token: UInt64)] = []
    while let next = table.takeDue(at: now.monotonic) {
      served.append((next.owner.key, next.ticket))
    }
    tell(.wake(at: now.wall, served: served.count))
    for (key, token) in served { handle(.timerFired(key, token: token), tell) }
  }

  private mutating func finish(_ end: End, _ tell: (SimulatedEvent) -> Void) {
    // It may have been stopped meanwhile.
    guard let run = running[end.run], run.endsAt == end.at else { return }
    running[end.run] = nil
    handle(.attemptEnded(end.run, AttemptReport(run.result)), tell)
  }

  // MARK: Faults

  private mutating func perform(_ fault: SimulatedFault, _ tell: (SimulatedEvent) -> Void) {
    switch fault.kind {
    case .step(let step):
      now.wall = now.wall + step
      handle(.clockStepped(slept: .zero), tell)
    case .sleep(let duration):
      now.wall = now.wall + duration
      handle(.clockStepped(slept: duration), tell)
    case .stall(let duration):
      // Whoever ends meanwhile is noticed afterwards.
      move(to: now.monotonic + duration)
    case .slow(let job, let duration): runTimes[job] = duration
    case .crash(let down): crash(down, tell)
    case .reload(let next):
      let plan = ReloadPlan(from: snapshot, to: next)
      snapshot = next
      handle(.reloaded(plan), tell)
    }
  }

  private mutating func crash(_ down: Duration, _ tell: (SimulatedEvent) -> Void) {
    for (run, job) in core.begunRuns {
      tell(.ended(job, run, RunEnd(.interrupted, .down), at: now.wall))
    }
    (running, alarms) = ([:], [:])
    (ends, table) = (Heap(), WakeTable())
    core = SchedulerCore()
    core.isQuiet = true
    move(to: now.monotonic + down)
    if now.monotonic > end { return }
    handle(.started(snapshot, after: books?.former ?? FormerBooks()), tell)
  }

  // MARK: Effects

  private mutating func handle(_ event: SchedulerEvent, _ tell: (SimulatedEvent) -> Void) {
    var kept: [RunID] = []
    let effects = core.handle(event, at: now)
    if books != nil {
      books?.record(effects.compactMap { if case .record(let entry) = $0 { entry } else { nil } })
    }
    for effect in effects {
      switch effect {
      case .arm(let key, let deadline, let leeway, let token):
        arm(key, deadline, leeway, token)
      case .disarm(let key): disarm(key)
      case .start(let request): start(request)
      case .signal(let run, let signal): stop(run, signal)
      case .record(let entry): take(entry, tell)
      case .awaitLedger(let run): kept.append(run)
      case .served(let start):
        (lateness, window) = (start.lateness, start.window)
      case .log, .finish: break
      }
    }
    for run in kept { handle(.kept(run), tell) }
  }

  private mutating func arm(
    _ key: TimerKey, _ deadline: MonotonicInstant, _ leeway: Duration, _ token: UInt64
  ) {
    let order = TimerArming(deadline: deadline, leeway: max(.zero, leeway), ticket: token)
    if let index = alarms.index(forKey: key) {
      let (alarm, slot) = alarms.values[index]
      alarms.values[index].slot = table.arm(alarm, lastSlot: slot, order)
    } else {
      let alarm = Alarm(key)
      alarms[key] = (alarm, table.arm(alarm, lastSlot: .max, order))
    }
  }

  private mutating func disarm(_ key: TimerKey) {
    guard let (alarm, slot) = alarms.removeValue(forKey: key) else { return }
    table.disarm(alarm, lastSlot: slot)
  }

  private mutating func start(_ request: AttemptRequest) {
    let spec = request.spec
    let whole = runTimes[spec.name] ?? spec.expectedDuration ?? runTime
    let time = request.facts != nil ? Self.hookTime : whole / spec.action.steps.count
    let end = now.monotonic + time
    running[request.run] = Running(job: spec.name, endsAt: end, result: .exited(0))
    ends.insert(End(at: end, run: request.run))
  }

  private mutating func stop(_ run: RunID, _ signal: StopSignal) {
    guard running[run] != nil else { return }
    running[run]?.endsAt = now.monotonic
    running[run]?.result = .signalled(signal == .kill ? 9 : 15)
    ends.insert(End(at: now.monotonic, run: run))
  }

  private mutating func take(_ entry: LedgerEntry, _ tell: (SimulatedEvent) -> Void) {
    switch entry {
    case .verdict(let record):
      if record.verdict == .ran {
        tell(.verdict(record, lateness: lateness, window: window))
      } else {
        tell(.verdict(record, lateness: .zero, window: .zero))
      }
    case .began(let run) where run.head.kind != .hook:
      tell(.began(run.head.job, run.head.run, at: now.wall))
    case .ended(let run) where run.head.kind != .hook && run.attempts > 0:
      tell(.ended(run.head.job, run.head.run, run.end, at: now.wall))
    default: break
    }
  }
}
