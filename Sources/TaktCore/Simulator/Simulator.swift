package import TaktTime

/// A set of jobs in virtual time, under faults, with runs that only take time.
///
/// A value without clocks, threads or files. The same jobs, start and faults give the same events.
package struct Simulator {
  /// The length of a run whose job has no expected duration.
  package static let defaultRunTime = Duration.seconds(1)
  /// The range for which zone files and calendars can be trusted.
  package static let spanMax = Duration.seconds(20 * 366 * 86_400)
  private static let hookTime = Duration.milliseconds(100)

  private var scheduler: VirtualScheduler
  private let begin: Now
  private var end = MonotonicInstant.distantFuture
  private var snapshot: Snapshot
  /// Future faults, the next one last.
  private var faults: [SimulatedFault]
  private let runTime: Duration
  private var runs: [JobName: SimulatedRuns]
  /// Nil if all runs succeed, and last as long as their job expects.
  private let draws: RunDraws?
  private let emitsAll: Bool
  private var isStopped = false
  /// The counts of all events so far.
  package private(set) var report = SimulationReport()
  /// The runs over time and their use of the machine; nil if nothing needs them.
  package private(set) var load: LoadCurve?
  private var effects: [SchedulerEffect] = []
  /// The timers of the current wake.
  private var fired: [VirtualScheduler.Fired] = []
  /// Both of the slot whose verdict comes next.
  private var lateness = Duration.zero
  private var window = Duration.zero
  /// Only if a crash is to come: the state that the next daemon then finds.
  private var ledger: LedgerModel?

  /// - Parameters:
  ///   - start: the time of takt's very first start.
  ///   - runs: the behaviour of some jobs' runs; others succeed, after as long as their job
  ///     expects, or `runTime`.
  ///   - draws: the runs of jobs with a history; nil without any.
  ///   - load: a curve to be filled; nil for none.
  ///   - emitsAll: true to report each verdict and each run, false for wakes and faults alone. The
  ///     report counts them either way.
  package init(
    _ snapshot: Snapshot, from start: WallInstant, faults: [SimulatedFault] = [],
    runTime: Duration = Self.defaultRunTime, runs: [JobName: SimulatedRuns] = [:],
    draws: RunDraws? = nil, load: LoadCurve? = nil, emitsAll: Bool = true
  ) {
    self.snapshot = snapshot
    self.draws = draws
    self.load = load
    begin = Now(wall: start, monotonic: MonotonicInstant(nanoseconds: 1_000_000_000))
    let hasCrash = faults.contains { if case .crash = $0.kind { true } else { false } }
    if hasCrash { ledger = LedgerModel(keepsVerdicts: false) }
    scheduler = VirtualScheduler(
      at: begin, core: SchedulerCore(isQuiet: true, isWithoutMarks: !hasCrash))
    self.faults = faults.sorted { $0.at < $1.at }.reversed()
    self.emitsAll = emitsAll
    self.runTime = runTime
    self.runs = runs
  }

  /// Answers false to end the simulation.
  package typealias Observe = (SimulatedEvent) -> Bool

  /// Advances virtual time by `duration`, and reports the events.
  package mutating func run(for duration: Duration, _ observe: Observe) {
    end = begin.monotonic + duration
    handle(.started(snapshot), observe)
    while !isStopped, now.monotonic <= end {
      let faultAt = faultAt
      if let due = next(before: faultAt) {
        performDue(due, observe)
      } else if faultAt <= end, let fault = faults.popLast() {
        scheduler.move(to: faultAt)
        emit(.fault(fault, at: now.wall), observe)
        perform(fault, observe)
      } else {
        break
      }
    }
    if now.monotonic > end { return }
    scheduler.move(to: end)
    var passed = scheduler.passHeld()
    perform(&passed, observe)
  }

  private var now: Now { scheduler.now }

  /// The time of the next fault.
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
      report.countWake(served: fired.count)
      emit(.wake(at: now.wall, served: fired.count), observe)
      for place in fired.indices { handle(fired[place], observe) }
    }
  }

  private mutating func handle(_ timer: VirtualScheduler.Fired, _ observe: Observe) {
    let job: JobID? = if case .job(let id) = timer.timer { id } else { nil }
    handle(.timerFired(timer.timer, token: timer.token), of: job, observe)
  }

  private mutating func emit(_ event: SimulatedEvent, _ observe: Observe) {
    if !observe(event) { isStopped = true }
  }

  private mutating func perform(_ fault: SimulatedFault, _ observe: Observe) {
    switch fault.kind {
    case .step(let step): self.step(by: step, slept: .zero, observe)
    case .sleep(let duration): step(by: duration, slept: duration, observe)
    // Ends of processes meanwhile are noticed afterwards.
    case .stall(let duration): scheduler.pass(duration)
    case .slow(let job, let duration): runs[job, default: SimulatedRuns()].length = duration
    case .crash(let down): crash(down, observe)
    case .reload(let next):
      let plan = ReloadPlan(from: snapshot, to: next)
      snapshot = next
      handle(.reloaded(plan), observe)
    }
  }

  private mutating func step(by step: Duration, slept: Duration, _ observe: Observe) {
    scheduler.now.wall = now.wall + step
    handle(.clockStepped(slept: slept), observe)
  }

  private mutating func crash(_ down: Duration, _ observe: Observe) {
    for (run, job) in scheduler.core.begunRuns {
      emitEnd(of: run, job, nil, RunEnd(.interrupted, .down), observe)
    }
    scheduler.crash()
    scheduler.pass(down)
    if now.monotonic > end { return }
    handle(.started(snapshot, after: ledger?.previous ?? PreviousState()), observe)
  }

  /// - Parameter job: the job of the event, if it is known.
  private mutating func handle(_ event: SchedulerEvent, of job: JobID? = nil, _ observe: Observe) {
    // One list for all events; an event within the effects of another has its own.
    var list: [SchedulerEffect] = []
    swap(&list, &effects)
    scheduler.hand(event, into: &list)
    perform(&list, of: job, observe)
    list.removeAll(keepingCapacity: true)
    swap(&list, &effects)
  }

  private mutating func perform(
    _ effects: inout [SchedulerEffect], of job: JobID? = nil, _ observe: Observe
  ) {
    var kept: [RunID] = []
    if ledger != nil { record(effects) }
    for place in effects.indices {
      // Moved out of the list: a copy would hold its contents a second time.
      var effect = SchedulerEffect.finish
      swap(&effect, &effects[place])
      switch consume effect {
      case .arm(let timer, let deadline, _, let leeway, let token):
        scheduler.arm(timer, deadline, leeway: leeway, token: token)
      case .holdTimer(let job, _): scheduler.disarm(.job(job))
      case .disarm(let timer): scheduler.disarm(timer)
      case .start(let request): start(request, observe)
      case .signal(let run, let signal): stop(run, signal)
      case .record(.began(let run)): emitStart(run.head, observe)
      case .record(.ended(let run)): emitEnd(run, job, observe)
      case .record(.verdict(let record)): emitVerdict(record, job, observe)
      case .awaitLedger(let run): kept.append(run)
      case .served(let start): (lateness, window) = (start.lateness, start.window)
      case .record, .log, .claims, .leased, .finish: break
      }
    }
    for run in kept { handle(.kept(run), observe) }
  }

  private mutating func record(_ effects: [SchedulerEffect]) {
    for case .record(let entry) in effects { ledger?.record(entry) }
  }

  private mutating func start(_ request: AttemptRequest, _ observe: Observe) {
    if emitsAll, request.step == 0 { emitAttempt(request, observe) }
    // Looked up only where some job has an entry: the name is hashed for each attempt.
    let own = runs.isEmpty ? nil : runs[request.spec.name]
    if let facts = request.facts {
      let isRefused = facts.hook == .onlyIf && own?.meetsCondition == false
      return scheduler.setEnd(
        of: request.run, .attempt(.exited(isRefused ? 1 : 0)), at: now.monotonic + Self.hookTime)
    }
    if own?.hangs == true {
      return scheduler.setEnd(of: request.run, .attempt(.exited(0)), at: .distantFuture)
    }
    let drawn = draws?.run(of: request.spec.name, slot: request.slot)
    let whole = own?.length ?? drawn?.attempt ?? request.spec.expectedDuration ?? runTime
    let steps = request.spec.action.stepCount
    let told = own == nil ? 0 : takeStatus(of: request)
    let fails = request.step == steps - 1 && request.attempt <= drawn?.failures ?? 0
    scheduler.setEnd(
      of: request.run,
      .attempt(.exited(told == 0 && fails ? request.spec.execution.success.failure : told)),
      at: now.monotonic + (steps == 1 ? whole : whole / steps))
  }

  /// The exit status of an attempt; if it fails, its first step does.
  private mutating func takeStatus(of request: AttemptRequest) -> Int32 {
    guard request.step == 0 else { return 0 }
    return runs[request.spec.name]?.takeStatus() ?? 0
  }

  private mutating func emitAttempt(_ request: AttemptRequest, _ observe: Observe) {
    if let facts = request.facts {
      guard request.attempt == 1, !facts.isPing, facts.hook != .onlyIf else { return }
      emit(.called(request.spec.name, facts.hook, at: now.wall), observe)
    } else if request.attempt > 1 {
      emit(.retried(request.spec.name, request.run, at: now.wall), observe)
    }
  }

  private mutating func stop(_ run: RunID, _ signal: StopSignal) {
    let result = AttemptResult.signalled(signal == .kill ? 9 : 15)
    scheduler.changeEnd(of: run, .attempt(result), at: now.monotonic)
  }

  private mutating func emitVerdict(_ record: VerdictRecord, _ job: JobID?, _ observe: Observe) {
    let hasRun = record.verdict == .ran
    // The event may have been the end of another job's run, which had the place.
    let job = record.run.flatMap { scheduler.job(of: $0) } ?? job
    report.count(record, lateness: hasRun ? lateness : .zero, job)
    guard emitsAll else { return }
    emit(
      .verdict(
        record, lateness: hasRun ? lateness : .zero, window: hasRun ? window : .zero), observe)
  }

  private mutating func emitStart(_ run: RunHead, _ observe: Observe) {
    if run.kind == .hook { return }
    report.countStart(of: run.job, at: now.wall, scheduler.job(of: run.run))
    if load != nil {
      let (drawn, wall) = (draws?.run(of: run.job, slot: run.slot), now.wall)
      load?.begin(run.run, drawn, at: wall)
    }
    if emitsAll { emit(.began(run.job, run.run, at: now.wall), observe) }
  }

  private mutating func emitEnd(_ run: RunRecord, _ job: JobID?, _ observe: Observe) {
    if run.head.kind == .hook || run.attempts == 0 { return }
    emitEnd(of: run.head.run, run.head.job, job, run.end, observe)
  }

  private mutating func emitEnd(
    of run: RunID, _ name: JobName, _ job: JobID?, _ end: RunEnd, _ observe: Observe
  ) {
    report.countEnd(of: name, job)
    let wall = now.wall
    load?.end(run, at: wall)
    if emitsAll { emit(.ended(name, run, end, at: now.wall), observe) }
  }
}
