package import TaktTime

/// A set of jobs in virtual time, with runs that do nothing but last, under faults.
///
/// A value without clocks, threads or files. The same jobs, start and faults give the same events.
package struct Simulator {
  /// How long a run lasts whose job does not say how long it is expected to take.
  package static let defaultRunTime = Duration.seconds(1)
  private static let hookTime = Duration.milliseconds(100)

  private var scheduler: VirtualScheduler
  private let begin: Now
  private var end = MonotonicInstant.distantFuture
  private var snapshot: Snapshot
  private var faults: [SimulatedFault]
  private let runTime: Duration
  private var runTimes: [JobName: Duration]
  private var effects: [SchedulerEffect] = []
  /// Of the slot whose verdict comes next.
  private var lateness = Duration.zero
  private var window = Duration.zero
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
    scheduler = VirtualScheduler(at: begin, isQuiet: true)
    self.faults = faults.sorted { $0.at < $1.at }
    self.runTime = runTime
    self.runTimes = runTimes
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
    while goesOn, now.monotonic <= end {
      let faultAt = faults.first.map { begin.monotonic + ($0.at - begin.wall) } ?? .distantFuture
      if let due = next(before: faultAt) {
        if case .timer? = due.first { tell(.wake(at: now.wall, served: due.count)) }
        for one in due { handle(one.event, tell) }
      } else if faultAt <= end {
        scheduler.move(to: faultAt)
        let fault = faults.removeFirst()
        tell(.fault(fault, at: now.wall))
        perform(fault, tell)
      } else {
        break
      }
    }
    if now.monotonic > end { return }
    scheduler.move(to: end)
    for case .record(let entry) in scheduler.passHeld() { take(entry, tell) }
  }

  private var now: Now { scheduler.now }

  /// What is due next, unless a fault comes first.
  private mutating func next(before fault: MonotonicInstant) -> [VirtualScheduler.Due]? {
    let limit = min(end, MonotonicInstant(nanoseconds: fault.nanoseconds - 1))
    return limit < now.monotonic ? nil : scheduler.next(until: limit)
  }

  // MARK: Faults

  private mutating func perform(_ fault: SimulatedFault, _ tell: (SimulatedEvent) -> Void) {
    switch fault.kind {
    case .step(let step): perform(scheduler.step(by: step), tell)
    case .sleep(let duration): perform(scheduler.step(by: duration, slept: duration), tell)
    // Whoever ends meanwhile is noticed afterwards.
    case .stall(let duration): scheduler.pass(duration)
    case .slow(let job, let duration): runTimes[job] = duration
    case .crash(let down): crash(down, tell)
    case .reload(let next):
      let plan = ReloadPlan(from: snapshot, to: next)
      snapshot = next
      handle(.reloaded(plan), tell)
    }
  }

  private mutating func crash(_ down: Duration, _ tell: (SimulatedEvent) -> Void) {
    for (run, job) in scheduler.core.begunRuns {
      tell(.ended(job, run, RunEnd(.interrupted, .down), at: now.wall))
    }
    scheduler.crash()
    scheduler.pass(down)
    if now.monotonic > end { return }
    handle(.started(snapshot, after: books?.former ?? FormerBooks()), tell)
  }

  // MARK: Effects

  private mutating func handle(_ event: SchedulerEvent, _ tell: (SimulatedEvent) -> Void) {
    // One list for all events; one that comes of another's effects has its own.
    var list: [SchedulerEffect] = []
    swap(&list, &effects)
    scheduler.send(event, into: &list)
    perform(list, tell)
    list.removeAll(keepingCapacity: true)
    swap(&list, &effects)
  }

  private mutating func perform(
    _ effects: [SchedulerEffect], _ tell: (SimulatedEvent) -> Void
  ) {
    var kept: [RunID] = []
    if books != nil {
      books?.record(effects.compactMap { if case .record(let entry) = $0 { entry } else { nil } })
    }
    for place in effects.indices {
      switch effects[place] {
      case .start(let request): start(request)
      case .signal(let run, let signal): stop(run, signal)
      case .record(let entry): take(entry, tell)
      case .awaitLedger(let run): kept.append(run)
      case .served(let start):
        (lateness, window) = (start.lateness, start.window)
      case .arm, .disarm, .log, .finish: break
      }
    }
    for run in kept { handle(.kept(run), tell) }
  }

  private mutating func start(_ request: AttemptRequest) {
    let spec = request.spec
    let own = runTimes.isEmpty ? nil : runTimes[spec.name]
    let whole = own ?? spec.expectedDuration ?? runTime
    let steps = spec.action.stepCount
    let time = request.facts != nil ? Self.hookTime : steps == 1 ? whole : whole / steps
    scheduler.setEnd(of: request.run, .attempt(.exited(0)), at: now.monotonic + time)
  }

  private mutating func stop(_ run: RunID, _ signal: StopSignal) {
    guard scheduler.end(of: run) != nil else { return }
    let result = AttemptResult.signalled(signal == .kill ? 9 : 15)
    scheduler.setEnd(of: run, .attempt(result), at: now.monotonic)
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
