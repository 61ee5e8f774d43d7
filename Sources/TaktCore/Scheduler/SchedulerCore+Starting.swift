import TaktTime

/// Starting: a run waits for a place, perhaps for the ledger, and starts. Its first start decides its
/// slot.
extension SchedulerCore {
  mutating func queueRun(
    _ origin: ActiveRun.Origin, of id: JobID, _ spec: JobSpec,
    facts: Shared<RunFacts>? = nil, with parameters: RunParameters? = nil, isForced: Bool = false,
    claim: ClaimGrant? = nil, at now: Now
  ) {
    let row = runs.insert(
      of: id, spec, origin, facts: facts, with: parameters, isForced: isForced)
    if claim != nil { runs[row].claim = claim }
    if !runs[row].isHook, jobs.isPresent(id) {
      jobs[id].cursor.runStarted()
      markDirty(id)
      if !watchChanges.isEmpty { watchChanges.hand(id, to: runs[row].id) }
    }
    // Mostly no other run waits, and there is a place.
    if phase.mayStart, !runs[row].needsClaim, runs.claimPlace(row) { return start(row, at: now) }
    let run = runs[row].id
    runs.askForPlace(run)
    startWaitingRuns(at: now)
    if runs.contains(run), let slot = runs[run].undecidedSlot {
      effects.append(.record(.pending(spec.name, slot.nominal)))
    }
    logWait(of: run, at: now)
  }

  /// A wait for a group has causes that nobody sees in the job.
  private mutating func logWait(of run: RunID, at now: Now) {
    guard !isQuiet, runs.contains(run), runs[run].spec.concurrencyGroup != nil,
      let wait = runs.wait(of: run), wait.isForGroup
    else { return }
    log(
      .info, .run, at: now,
      [
        LogField(.job, .text(runs[run].spec.name.text)), LogField(.run, .number(Int64(run.number))),
        LogField(.message, .text("waits for \(wait.words)")),
      ])
  }

  mutating func startWaitingRuns(at now: Now) {
    guard phase.mayStart, runs.hasWaiting else { return }
    while let run = runs.nextWithPlace() {
      guard let row = runs.row(of: run) else { continue }
      if runs[row].needsClaim { claim(row, at: now) } else { start(row, at: now) }
    }
  }

  private mutating func start(_ row: RunTable.Row, at now: Now) {
    let isFirst = runs[row].startedAt == nil
    if isFirst { begin(row, at: now) }
    runs[row].hasClaim = false
    let run = runs[row].id
    let isTold = isFirst && !runs[row].isHook && runs[row].spec.calls(.onStart)
    step(row, at: now) { $0.start(at: now.monotonic) }
    // Only now: the run does not wait for whoever is told of it.
    if isTold, runs.contains(run) { hook(.onStart, for: run, at: now) }
  }

  /// The first start of a run.
  private mutating func begin(_ row: RunTable.Row, at now: Now) {
    runs[row].begin(at: now.monotonic)
    effects.append(.record(.began(runs[row].beginning(at: now))))
    recordParameters(of: row)
    if case .slot(let slot) = runs[row].origin { serve(slot, by: row, at: now) }
    guard let expected = runs[row].spec.expectedDuration else { return }
    let token = nextToken()
    runs[row].expectedToken = token
    effects.append(
      .arm(
        .expected(runs[row].id), deadline: now.monotonic + expected, due: now.wall + expected,
        leeway: .zero, token: token))
  }

  /// Records the parameters that the run was triggered with, if any.
  mutating func recordParameters(of row: RunTable.Row) {
    guard let parameters = runs[row].shownParameters else { return }
    effects.append(.record(.parameters(parameters, of: runs[row].id)))
  }

  private mutating func serve(_ slot: Slot, by row: RunTable.Row, at now: Now) {
    let (run, id) = (runs[row].id, runs[row].job)
    let (spec, lateness) = (runs[row].spec, runs[row].lateness)
    effects.append(
      .served(
        SlotStart(
          job: spec.name, run: run, lateness: lateness, window: slot.window,
          qos: spec.execution.qos)))
    let verdict = VerdictRecord(
      job: spec.name, slots: SlotSeries(slot.nominal), verdict: .ran, at: now.wall, run: run)
    decideRan(id, verdict, causes: slot.causes, start: (slot.due, lateness), at: now)
    if lateness > slot.window + spec.lateTolerance { hook(.onLate, for: run, at: now) }
  }
}

// MARK: - Claims

/// Runs that must be known to the ledger before they may start.
extension SchedulerCore {
  /// How long such a run waits for the ledger.
  package static let claimTimeout = Duration.seconds(2)

  /// The run could start; it asks for its place again when the ledger has it for certain.
  private mutating func claim(_ row: RunTable.Row, at now: Now) {
    let (run, token) = (runs[row].id, nextToken())
    // While it waits for the disk others may have the place.
    runs.releasePlace(row)
    runs[row].isClaiming = true
    runs[row].timerToken = token
    effects.append(.record(.claimed(runs[row].beginning(at: now))))
    recordParameters(of: row)
    effects.append(.awaitLedger(run))
    effects.append(
      .arm(
        .run(run), deadline: now.monotonic + Self.claimTimeout, due: now.wall + Self.claimTimeout,
        leeway: .zero, token: token))
  }

  mutating func claimKept(_ run: RunID, at now: Now) {
    guard runs.contains(run), runs[run].isClaiming else { return }
    runs[run].isClaiming = false
    runs[run].hasClaim = true
    runs[run].timerToken = 0
    effects.append(.disarm(.run(run)))
    runs.askForPlace(run)
    startWaitingRuns(at: now)
  }

  /// Without the ledger's word the slot is given up: it might be run a second time after a crash.
  mutating func claimTimedOut(_ run: RunID, at now: Now) {
    if let slot = runs[run].undecidedSlot {
      let (id, series) = (runs[run].job, SlotSeries(slot.nominal))
      // With a claim another machine may run it, or this one when its ledger answers again.
      let isOpen =
        runs[run].claim != nil && jobs.isPresent(id)
        && placement?.takes(passed: [series], of: id, by: nil, in: &self, at: now) == true
      if !isOpen { decide(id, series, .skipped(.ledger), at: now) }
    }
    step(run, at: now) { $0.stop(.ledger, at: now.monotonic) }
  }
}

extension SchedulerPhase {
  /// Whether runs may start.
  fileprivate var mayStart: Bool { self == .running || self == .draining }
}

extension ActiveRun {
  /// Whether the ledger must know of its next attempt before it starts.
  fileprivate var needsClaim: Bool {
    mutating get {
      switch origin {
      case .slot, .resumed: spec.delivery == .atMostOnce && !hasClaim
      case .manual, .hook, .backfill: false
      }
    }
  }
}
