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
  /// Those that are to come, the next one last.
  private var faults: [SimulatedFault]
  private let runTime: Duration
  private var runTimes: [JobName: Duration]
  private let tellsAll: Bool
  private var isStopped = false
  /// What all that has happened comes to.
  package private(set) var report = SimulationReport()
  private var effects: [SchedulerEffect] = []
  /// The timers that the present wake serves.
  private var fired: [VirtualScheduler.Fired] = []
  /// Of the slot whose verdict comes next.
  private var lateness = Duration.zero
  private var window = Duration.zero
  /// Kept only where a crash is to come: what a takt that starts then finds.
  private var books: MemoryBooks?

  /// - Parameters:
  ///   - start: when takt starts, for the first time in its life.
  ///   - runTimes: how long the runs of some jobs last; others as long as their job expects, or
  ///     `runTime`.
  ///   - tellsAll: whether each verdict and each run is told of, or only wakes and faults. The
  ///     report counts them either way.
  package init(
    _ snapshot: Snapshot, from start: WallInstant, faults: [SimulatedFault] = [],
    runTime: Duration = Self.defaultRunTime, runTimes: [JobName: Duration] = [:],
    tellsAll: Bool = true
  ) {
    self.snapshot = snapshot
    begin = Now(wall: start, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))
    let hasCrash = faults.contains { if case .crash = $0.kind { true } else { false } }
    if hasCrash { books = MemoryBooks(keepsVerdicts: false) }
    scheduler = VirtualScheduler(at: begin, isQuiet: true, isWithoutMarks: !hasCrash)
    self.faults = faults.sorted { $0.at < $1.at }.reversed()
    self.tellsAll = tellsAll
    self.runTime = runTime
    self.runTimes = runTimes
  }

  /// Answers false to end the simulation.
  package typealias Observe = (SimulatedEvent) -> Bool

  /// Lets so much time go by, and tells what happens.
  package mutating func run(for duration: Duration, _ observe: Observe) {
    end = begin.monotonic + duration
    handle(.started(snapshot), observe)
    while !isStopped, now.monotonic <= end {
      let faultAt = faultAt
      if let due = next(before: faultAt) {
        performDue(due, observe)
      } else if faultAt <= end, let fault = faults.popLast() {
        scheduler.move(to: faultAt)
        tell(.fault(fault, at: now.wall), observe)
        perform(fault, observe)
      } else {
        break
      }
    }
    if now.monotonic > end { return }
    scheduler.move(to: end)
    perform(scheduler.passHeld(), observe)
  }

  private var now: Now { scheduler.now }

  /// When the next fault comes.
  private var faultAt: MonotonicInstant {
    faults.isEmpty ? .distantFuture : begin.monotonic + (faults[faults.count - 1].at - begin.wall)
  }

  /// Finds what is due next, unless a fault comes first.
  private mutating func next(before fault: MonotonicInstant) -> VirtualScheduler.Next? {
    let limit = min(end, MonotonicInstant(nanoseconds: fault.nanoseconds - 1))
    return limit < now.monotonic ? nil : scheduler.next(until: limit, firing: &fired)
  }

  private mutating func performDue(_ due: VirtualScheduler.Next, _ observe: Observe) {
    switch due {
    case .end(let run, let end):
      let job = scheduler.job(of: run)
      handle(VirtualScheduler.event(run, end), of: job, observe)
    case .wake:
      if fired.isEmpty { return }
      report.takeWake(served: fired.count)
      tell(.wake(at: now.wall, served: fired.count), observe)
      for place in fired.indices { handle(fired[place], observe) }
    }
  }

  private mutating func handle(_ timer: VirtualScheduler.Fired, _ observe: Observe) {
    let job: JobID? = if case .job(let id) = timer.timer { id } else { nil }
    handle(.timerFired(timer.timer, token: timer.token), of: job, observe)
  }

  private mutating func tell(_ event: SimulatedEvent, _ observe: Observe) {
    if !observe(event) { isStopped = true }
  }

  // MARK: Faults

  private mutating func perform(_ fault: SimulatedFault, _ observe: Observe) {
    switch fault.kind {
    case .step(let step): perform(scheduler.step(by: step), observe)
    case .sleep(let duration): perform(scheduler.step(by: duration, slept: duration), observe)
    // Whoever ends meanwhile is noticed afterwards.
    case .stall(let duration): scheduler.pass(duration)
    case .slow(let job, let duration): runTimes[job] = duration
    case .crash(let down): crash(down, observe)
    case .reload(let next):
      let plan = ReloadPlan(from: snapshot, to: next)
      snapshot = next
      handle(.reloaded(plan), observe)
    }
  }

  private mutating func crash(_ down: Duration, _ observe: Observe) {
    for (run, job) in scheduler.core.begunRuns {
      takeEnd(of: run, job, nil, RunEnd(.interrupted, .down), observe)
    }
    scheduler.crash()
    scheduler.pass(down)
    if now.monotonic > end { return }
    handle(.started(snapshot, after: books?.former ?? FormerBooks()), observe)
  }

  // MARK: Effects

  /// - Parameter job: the job that the event is about, where that is known.
  private mutating func handle(
    _ event: SchedulerEvent, of job: JobID? = nil, _ observe: Observe
  ) {
    // One list for all events; one that comes of another's effects has its own.
    var list: [SchedulerEffect] = []
    swap(&list, &effects)
    scheduler.send(event, into: &list)
    perform(list, of: job, observe)
    list.removeAll(keepingCapacity: true)
    swap(&list, &effects)
  }

  private mutating func perform(
    _ effects: [SchedulerEffect], of job: JobID? = nil, _ observe: Observe
  ) {
    var kept: [RunID] = []
    for place in effects.indices {
      switch effects[place].concern {
      case .none: break
      case .start(let run, let spec, let isHook): start(run, of: spec, isHook: isHook)
      case .signal(let run, let signal): stop(run, signal)
      case .began(let run, let name): takeBeginning(of: run, name, job, observe)
      case .ended(let run, let name, let end): takeEnd(of: run, name, job, end, observe)
      case .verdict(let record): take(record, job, observe)
      case .awaitLedger(let run): kept.append(run)
      case .served(let lateness, let window): (self.lateness, self.window) = (lateness, window)
      }
    }
    if books != nil { record(effects) }
    for run in kept { handle(.kept(run), observe) }
  }

  private mutating func record(_ effects: [SchedulerEffect]) {
    for case .record(let entry) in effects { books?.record(entry) }
  }

  private mutating func start(_ run: RunID, of spec: JobSpec, isHook: Bool) {
    let own = runTimes.isEmpty ? nil : runTimes[spec.name]
    let whole = own ?? spec.expectedDuration ?? runTime
    let steps = spec.action.stepCount
    let time = isHook ? Self.hookTime : steps == 1 ? whole : whole / steps
    scheduler.setEnd(of: run, .attempt(.exited(0)), at: now.monotonic + time)
  }

  private mutating func stop(_ run: RunID, _ signal: StopSignal) {
    let result = AttemptResult.signalled(signal == .kill ? 9 : 15)
    scheduler.changeEnd(of: run, .attempt(result), at: now.monotonic)
  }

  // MARK: What is told

  private mutating func take(_ record: VerdictRecord, _ job: JobID?, _ observe: Observe) {
    let hasRun = record.verdict == .ran
    report.take(record, lateness: hasRun ? lateness : .zero, job)
    guard tellsAll else { return }
    tell(
      .verdict(
        record, lateness: hasRun ? lateness : .zero, window: hasRun ? window : .zero), observe)
  }

  private mutating func takeBeginning(
    of run: RunID, _ name: JobName, _ job: JobID?, _ observe: Observe
  ) {
    report.takeBeginning(of: name, at: now.wall, job)
    if tellsAll { tell(.began(name, run, at: now.wall), observe) }
  }

  private mutating func takeEnd(
    of run: RunID, _ name: JobName, _ job: JobID?, _ end: RunEnd, _ observe: Observe
  ) {
    report.takeEnd(of: name, job)
    if tellsAll { tell(.ended(name, run, end, at: now.wall), observe) }
  }
}

/// What of an effect concerns a simulation.
private enum Concern {
  case none
  case start(RunID, JobSpec, isHook: Bool)
  case signal(RunID, StopSignal)
  /// A run that is no hook starts, or ends after it has started.
  case began(RunID, JobName)
  case ended(RunID, JobName, RunEnd)
  case verdict(VerdictRecord)
  case awaitLedger(RunID)
  case served(lateness: Duration, window: Duration)
}

extension SchedulerEffect {
  /// Taken out of the effect in one go, since an effect is large and each look at it costs.
  fileprivate var concern: Concern {
    switch self {
    case .start(let request): .start(request.run, request.spec, isHook: request.isHook)
    case .signal(let run, let signal): .signal(run, signal)
    case .record(.began(let run)):
      run.head.kind == .hook ? .none : .began(run.head.run, run.head.job)
    case .record(.ended(let run)):
      run.head.kind == .hook || run.attempts == 0
        ? .none : .ended(run.head.run, run.head.job, run.end)
    case .record(.verdict(let record)): .verdict(record)
    case .awaitLedger(let run): .awaitLedger(run)
    case .served(let start): .served(lateness: start.lateness, window: start.window)
    case .record, .arm, .disarm, .log, .finish: .none
    }
  }
}
