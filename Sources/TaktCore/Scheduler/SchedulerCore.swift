package import TaktTime

/// The scheduler as a value: events go in, effects come out, and nothing else happens.
///
/// The job states here are the truth and the timers their projection: only effects move them. The
/// same core runs the daemon and, in virtual time, the simulator.
///
/// Its parts are extensions, each in a file of its own: start, slots, starting, runs, hooks,
/// catch-up, reload, suspension, control, stop. Its tables own their contents.
package struct SchedulerCore: Sendable {
  package internal(set) var phase = SchedulerPhase.starting
  /// Nil while runs may start.
  package internal(set) var drain: Drain?
  var settings = SchedulerSettings()
  var jobs = JobTable()
  var runs = RunTable()
  var clocks = Clocks()
  var removedJobs = RemovedJobs()
  /// Decides which machine serves slots; nil for this machine alone.
  var placement: (any Placement.Type)?
  var placementMemory: (any PlacementMemory)?
  /// The next start of those that run late.
  var catchUpAt = MonotonicInstant(nanoseconds: .min)

  /// Hooks of runs' starts that have not ended, by the runs.
  var startHooks: [RunStart: StartHook] = [:]
  /// Slots that wait for their jobs' conditions.
  var checks: [JobID: SlotCheck] = [:]
  /// Slots of the past that have just been run.
  var backfilled = RecentBackfills()
  /// The last tokens of the timers of jobs' freshness.
  var freshnessTokens: [JobID: UInt64] = [:]
  /// Changed paths for runs of jobs that watch paths.
  var watchChanges = WatchChanges()

  /// The log is not read: its records are not made.
  let isQuiet: Bool
  /// No daemon continues from this one: the checkpoints of jobs are not recorded.
  let isWithoutMarks: Bool
  /// Jobs whose checkpoint has changed since it was recorded.
  var unmarked: [JobID] = []

  private var lastToken: UInt64 = 0
  var shutdownToken: UInt64 = 0
  var effects: [SchedulerEffect] = []

  /// A scheduler that waits for `started`.
  ///
  /// - Parameters:
  ///   - isQuiet: true to make no log records.
  ///   - isWithoutMarks: true to record no checkpoints of jobs, which only a later daemon needs.
  package init(isQuiet: Bool = false, isWithoutMarks: Bool = false) {
    self.isQuiet = isQuiet
    self.isWithoutMarks = isWithoutMarks
  }

  /// Handles one event and returns its effects, in order.
  package mutating func handle(_ event: SchedulerEvent, at now: Now) -> [SchedulerEffect] {
    var effects: [SchedulerEffect] = []
    handle(event, at: now, into: &effects)
    return effects
  }

  /// Handles one event and appends its effects, in order. A caller that handles many passes the
  /// same list, emptied.
  package mutating func handle(
    _ event: SchedulerEvent, at now: Now, into list: inout [SchedulerEffect]
  ) {
    swap(&effects, &list)
    placement?.note(.eventComes, in: &self, at: now)
    switch event {
    case .started(let snapshot, let previous): start(snapshot, after: previous, at: now)
    case .reloaded(let plan): reload(plan, at: now)
    case .timerFired(.job(let job), let token), .timerFired(.pause(let job), let token):
      jobFired(job, token: token, at: now)
    case .timerFired(.run(let run), let token): runTimerFired(run, token: token, at: now)
    case .timerFired(.shutdown, let token): shutdownFired(token: token, at: now)
    case .timerFired(.expected(let run), let token): expectedFired(run, token: token, at: now)
    case .timerFired(.freshness(let job), let token): freshnessFired(job, token: token, at: now)
    case .timerFired(.placement, let token):
      placement?.note(.timerFired(token: token), in: &self, at: now)
    case .claims(let outcome): placement?.note(.answered(outcome), in: &self, at: now)
    case .commanded(let command): _ = execute(command, at: now)
    case .actionEnded(let run, let report): actionEnded(run, report, at: now)
    case .groupEnded(let run, let report): groupEnded(run, report, at: now)
    case .kept(let run): claimKept(run, at: now)
    case .ledgerRenewed: rewriteLedger(at: now)
    case .clockStepped(let slept): clockStepped(slept: slept, at: now)
    case .changed(let name, let watch, let paths): changed(name, watch, paths, at: now)
    case .dumpStatus: dumpStatus(at: now)
    case .stop: stop(at: now)
    }
    if drain != nil { endDrainIfIdle(at: now) }
    close(at: now)
    swap(&effects, &list)
  }

  /// The last of several events that belong together has been handled: their requests to other
  /// machines are sent. Call it after each event, or after all of a wake-up.
  package mutating func endTurn(at now: Now, into list: inout [SchedulerEffect]) {
    guard let placement, phase != .starting else { return }
    swap(&effects, &list)
    placement.note(.turnEnded, in: &self, at: now)
    swap(&effects, &list)
  }

  /// The entries and records at the end of an event.
  mutating func close(at now: Now) {
    recordMarks()
    jobs.freeReleased()
    if !jobs.bugs.isEmpty || !runs.bugs.isEmpty { recordBugs(at: now) }
  }

  /// Bugs of the scheduler itself are recorded, never lost.
  private mutating func recordBugs(at now: Now) {
    let missing =
      jobs.bugs.map { "job \($0.job) in \($0.function)" }
      + runs.bugs.map { "run \($0.run) in \($0.function)" }
    (jobs.bugs, runs.bugs) = ([], [])
    for what in missing {
      log(
        .error, .scheduler, at: now,
        [
          LogField(.message, .text("internal error: missing \(what); please report this line"))
        ])
    }
  }

  /// Grids on the job's own clock continue unchanged; slots on the wall clock are armed again.
  private mutating func clockStepped(slept: Duration, at now: Now) {
    let step = clocks.step(at: now)
    placement?.note(.clockStepped(slept: slept), in: &self, at: now)
    clocks.recordStep(slept: slept, at: now)
    // A touch of the clock that moved it by less than a millisecond is no news.
    guard phase == .running, abs(step.milliseconds) >= 1 else { return }
    let isSleep = slept >= step / 2
    log(
      .notice, .scheduler, at: now,
      [
        LogField(
          .message,
          .text(
            isSleep
              ? "the machine slept for \(DurationText.format(slept))"
              : "wall clock stepped by \(DurationText.format(step))"))
      ], fact: isSleep ? .slept(slept) : nil)
    effects.append(.record(.clockStepped(at: now.wall, by: step)))
    stepFreshness(by: max(step, slept), at: now)
    for id in jobs.sorted where jobs[id].spec.missed.times != nil { retimeLate(of: id, at: now) }
    for id in jobs.sorted where jobs[id].isSuspended || jobs[id].spec.timing.schedule.isOnWallClock
    {
      arm(id, at: now)
    }
  }

  mutating func adopt(_ settings: SchedulerSettings) {
    self.settings = settings
    runs.setBounds(settings)
  }

  mutating func nextToken() -> UInt64 {
    lastToken += 1
    return lastToken
  }

  mutating func log(
    _ level: LogLevel, _ event: LogEvent, at now: Now, routine: Bool = false,
    _ fields: [LogField], fact: LogFact? = nil
  ) {
    if isQuiet { return }
    effects.append(
      .log(LogRecord(at: now.wall, level, event, routine: routine, fields, fact: fact)))
  }
}

extension SchedulerCore {
  package var jobCount: Int { jobs.count }

  package var currentSettings: SchedulerSettings { settings }

  /// The names of the jobs that need attention, in no order.
  package var namesInNeed: NamesInNeed {
    var names = jobs.inNeed
    names.unplaced = placement?.unplacedJobs(in: self) ?? []
    return names
  }

  /// Those of the jobs whose slots are to run, and that are not stale by `expect_success_within`.
  package func servedInTime(of names: some Sequence<JobName>) -> [JobName] {
    names.filter { name in
      guard let id = jobs.id(of: name) else { return false }
      return jobs.isServedInTime(id, hasRuns: !runs.active(of: id).isEmpty)
    }
  }

  /// The number of jobs that no machine of the cluster may run; nil without one.
  package var unplacedCount: Int? { placement.map { $0.unplacedJobs(in: self).count } }

  /// In no order.
  package var jobNames: [JobName] { jobs.present.map { jobs.name(of: $0) } }

  /// The definitions with `for_each` that make present jobs, in no order.
  package var familyNames: Set<JobName> {
    Set(jobs.present.compactMap { jobs.state(of: $0)?.spec.family })
  }

  /// Translates the number of a job.
  package func jobName(of id: JobID) -> JobName { jobs.name(of: id) }

  /// The runs that have started and have not ended, without hooks, the oldest first.
  var begunRuns: [(run: RunID, job: JobName)] {
    runs.all.compactMap { runs.run($0) }.filter { $0.startedAt != nil && !$0.isHook }
      .map { ($0.id, $0.spec.name) }
  }
}
