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
  private var due: [VirtualScheduler.Due] = []
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
      due.removeAll(keepingCapacity: true)
      if next(before: faultAt) {
        performDue(observe)
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
  private mutating func next(before fault: MonotonicInstant) -> Bool {
    let limit = min(end, MonotonicInstant(nanoseconds: fault.nanoseconds - 1))
    return limit >= now.monotonic && scheduler.next(until: limit, into: &due)
  }

  private mutating func performDue(_ observe: Observe) {
    if case .timer? = due.first {
      report.takeWake(served: due.count)
      tell(.wake(at: now.wall, served: due.count), observe)
    }
    for place in due.indices { handle(due[place].event, observe) }
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
      takeEnd(of: run, job, RunEnd(.interrupted, .down), observe)
    }
    scheduler.crash()
    scheduler.pass(down)
    if now.monotonic > end { return }
    handle(.started(snapshot, after: books?.former ?? FormerBooks()), observe)
  }

  // MARK: Effects

  private mutating func handle(_ event: SchedulerEvent, _ observe: Observe) {
    // One list for all events; one that comes of another's effects has its own.
    var list: [SchedulerEffect] = []
    swap(&list, &effects)
    scheduler.send(event, into: &list)
    perform(list, observe)
    list.removeAll(keepingCapacity: true)
    swap(&list, &effects)
  }

  private mutating func perform(_ effects: [SchedulerEffect], _ observe: Observe) {
    var kept: [RunID] = []
    for place in effects.indices {
      // What is bound is copied: only what is needed.
      switch effects[place] {
      case .start(let request): start(request)
      case .signal(let run, let signal): stop(run, signal)
      case .record(.verdict(let record)): take(record, observe)
      case .record(.began(let run)): takeBeginning(run.head, observe)
      case .record(.ended(let run)):
        if run.head.kind != .hook, run.attempts > 0 {
          takeEnd(of: run.head.run, run.head.job, run.end, observe)
        }
      case .awaitLedger(let run): kept.append(run)
      case .served(let start): (lateness, window) = (start.lateness, start.window)
      case .record, .arm, .disarm, .log, .finish: break
      }
    }
    if books != nil { record(effects) }
    for run in kept { handle(.kept(run), observe) }
  }

  private mutating func record(_ effects: [SchedulerEffect]) {
    for case .record(let entry) in effects { books?.record(entry) }
  }

  private mutating func start(_ request: AttemptRequest) {
    let own = runTimes.isEmpty ? nil : runTimes[request.spec.name]
    let whole = own ?? request.spec.expectedDuration ?? runTime
    let steps = request.spec.action.stepCount
    let time = request.facts != nil ? Self.hookTime : steps == 1 ? whole : whole / steps
    scheduler.setEnd(of: request.run, .attempt(.exited(0)), at: now.monotonic + time)
  }

  private mutating func stop(_ run: RunID, _ signal: StopSignal) {
    let result = AttemptResult.signalled(signal == .kill ? 9 : 15)
    scheduler.changeEnd(of: run, .attempt(result), at: now.monotonic)
  }

  // MARK: What is told

  private mutating func take(_ record: VerdictRecord, _ observe: Observe) {
    let hasRun = record.verdict == .ran
    report.take(record, lateness: hasRun ? lateness : .zero)
    guard tellsAll else { return }
    tell(
      .verdict(
        record, lateness: hasRun ? lateness : .zero, window: hasRun ? window : .zero), observe)
  }

  private mutating func takeBeginning(_ run: RunHead, _ observe: Observe) {
    if run.kind == .hook { return }
    report.takeBeginning(of: run.job, at: now.wall)
    if tellsAll { tell(.began(run.job, run.run, at: now.wall), observe) }
  }

  private mutating func takeEnd(
    of run: RunID, _ job: JobName, _ end: RunEnd, _ observe: Observe
  ) {
    report.takeEnd(of: job)
    if tellsAll { tell(.ended(job, run, end, at: now.wall), observe) }
  }
}
