import DequeModule
package import TaktTime

/// The scheduler as a value: events go in, effects come out, and nothing else happens.
///
/// The job states here are the truth and the timers their projection: only effects move them. The
/// same core runs the daemon and, in virtual time, the simulator.
package struct SchedulerCore: Sendable {
  /// How many runs of one job may wait for a free place; a slot beyond is `skipped(queue_full)`.
  package static let waitingRunsPerJobMax = 64
  /// How many hooks of one job may wait or be in progress; one beyond is dropped, and the log says
  /// so.
  package static let hooksPerJobMax = 64
  /// How long an attempt of a hook may take.
  package static let hookTimeout = Duration.seconds(60)
  /// How many removed jobs are remembered; the oldest is forgotten when there are more.
  package static let memoriesMax = 10_000
  /// How long a stop waits, after all graces are over, for processes that do not even end by
  /// SIGKILL.
  package static let abandonAfter = Duration.seconds(10)

  package internal(set) var phase = SchedulerPhase.starting
  var settings = SchedulerSettings()
  var jobs: [JobName: JobState] = [:]
  /// The jobs that wait for the end of each job's runs.
  var followers: [JobName: Set<JobName>] = [:]
  var memories: [JobName: JobState.Memory] = [:]
  var memoryOrder: Deque<(name: JobName, number: UInt64)> = []

  var runs: [RunID: ActiveRun] = [:]
  var queue = RunQueue()
  /// Runs that have not ended, by job, the oldest first; jobs without one have no entry. Hooks are
  /// not among them.
  var activeRuns: [JobName: [RunID]] = [:]
  /// Hooks that have not ended, by job.
  var hookCounts: [JobName: Int] = [:]
  var lastRun: UInt64 = 0

  /// takt starts without the books that there are: what is past may have been decided.
  var isBlind = false
  /// Nobody reads the log: its records are not made.
  var isQuiet = false
  /// Jobs whose mark has changed since it was recorded.
  var unmarked: [JobName] = []

  var lastToken: UInt64 = 0
  var shutdownToken: UInt64 = 0
  /// Wall minus monotonic clock when it was last looked at.
  var wallOffset: Int64 = 0
  /// Over what the wall clock has jumped last.
  var jump: ClockJump?
  /// When the next of those that run late may start.
  var catchUpAt = MonotonicInstant(nanoseconds: .min)
  var effects: [SchedulerEffect] = []

  /// A scheduler that waits for `started`.
  package init() {}

  /// Handles one event and says what is to be done, in order.
  package mutating func handle(_ event: SchedulerEvent, at now: Now) -> [SchedulerEffect] {
    // Most events have a few.
    effects.reserveCapacity(8)
    switch event {
    case .started(let snapshot, let former): start(snapshot, after: former, at: now)
    case .reloaded(let plan): reload(plan, at: now)
    case .timerFired(.job(let name), let token): jobFired(name, token: token, at: now)
    case .timerFired(.run(let run), let token): runTimerFired(run, token: token, at: now)
    case .timerFired(.shutdown, let token): shutdownFired(token: token, at: now)
    case .timerFired(.expected(let run), let token): expectedFired(run, token: token, at: now)
    case .commanded(let command): _ = take(command, at: now)
    case .attemptEnded(let run, let report): actionEnded(run, report, at: now)
    case .groupEnded(let run): step(run, at: now) { $0.groupEnded(at: now.monotonic) }
    case .kept(let run): claimKept(run, at: now)
    case .ledgerRenewed: tellLedger(at: now)
    case .clockStepped(let slept): clockStepped(slept: slept, at: now)
    case .changed(let name, let watch): changed(name, watch, at: now)
    case .dumpStatus: dumpStatus(at: now)
    case .stop: stop(at: now)
    }
    recordMarks()
    let done = effects
    effects = []
    return done
  }

  /// The runs that have started and have not ended, without hooks, the oldest first.
  var begunRuns: [(run: RunID, job: JobName)] {
    runs.values.filter { $0.startedAt != nil && !$0.isHook }.map { ($0.id, $0.spec.name) }
      .sorted { $0.run < $1.run }
  }

  package var jobCount: Int { jobs.count }

  /// The names of the present jobs, in no order.
  package var jobNames: some Collection<JobName> { jobs.keys }

  private mutating func start(_ snapshot: Snapshot, after former: FormerBooks, at now: Now) {
    guard phase == .starting else { return }
    phase = .running
    adopt(snapshot.settings)
    lastRun = former.lastRun
    wallOffset = now.wall.nanoseconds - now.monotonic.nanoseconds
    log(
      .notice, .scheduler, at: now,
      [
        LogField(.message, .text("started; jobs: \(snapshot.jobs.count)")),
        LogField(.count, .number(Int64(snapshot.jobs.count))),
      ])
    takeUp(former, with: snapshot.jobs, at: now)
  }

  /// Grids on the job's own clock go on untouched; what stands on the wall is armed anew.
  private mutating func clockStepped(slept: Duration, at now: Now) {
    let offset = now.wall.nanoseconds - now.monotonic.nanoseconds
    let step = Duration.nanoseconds(offset - wallOffset)
    noticeJump(slept >= step / 2 ? .asleep : .clock, at: now)
    wallOffset = offset
    // A touch of the clock that moved it by less than a millisecond is no news.
    guard phase == .running, abs(step.milliseconds) >= 1 else { return }
    log(
      .notice, .scheduler, at: now,
      [
        LogField(
          .message,
          .text(
            slept >= step / 2
              ? "the machine slept for \(DurationText.format(slept))"
              : "wall clock stepped by \(DurationText.format(step))"))
      ])
    effects.append(.record(.clockStepped(at: now.wall, by: step)))
    // In an order that does not depend on chance.
    for name in jobs.keys.sorted() {
      guard let job = jobs[name] else { continue }
      if job.spec.timing.schedule.standsOnWall || job.suspension != nil { arm(name, at: now) }
    }
  }

  mutating func adopt(_ settings: SchedulerSettings) {
    self.settings = settings
    queue.setBounds(settings)
  }

  private mutating func dumpStatus(at now: Now) {
    for name in jobs.keys.sorted() {
      guard let job = jobs[name] else { continue }
      let active = activeRuns[name] ?? []
      var parts = [
        !job.spec.timing.isEnabled
          ? "disabled"
          : job.suspension != nil ? "suspended" : job.armed == nil ? "nothing due" : "waiting"
      ]
      for kind in RunState.Kind.allCases {
        let count = active.count { runs[$0]?.machine.state.kind == kind }
        if count > 0 { parts.append("\(count) \(kind.rawValue)") }
      }
      var fields = [
        LogField(.job, .text(name.text)),
        LogField(.message, .text("status: \(parts.joined(separator: ", "))")),
      ]
      if !job.isHeld, let slot = job.armed?.slot {
        fields.append(LogField(.slot, .instant(slot.nominal)))
      }
      if !active.isEmpty { fields.append(LogField(.count, .number(Int64(active.count)))) }
      log(.notice, .scheduler, at: now, fields)
    }
  }

  mutating func nextToken() -> UInt64 {
    lastToken += 1
    return lastToken
  }

  mutating func log(
    _ level: LogLevel, _ event: LogEvent, at now: Now, routine: Bool = false, _ fields: [LogField]
  ) {
    if isQuiet { return }
    effects.append(.log(LogRecord(at: now.wall, level, event, routine: routine, fields)))
  }
}
