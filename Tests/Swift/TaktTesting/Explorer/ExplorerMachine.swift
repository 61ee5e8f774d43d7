import TaktCore
import TaktTime

/// A machine at one instant, as a value that knows of no other: an occurrence changes it, and its
/// effects on the world are a list of deeds.
struct ExplorerMachine {
  struct Execution: Hashable {
    var job: JobName
    var slot: WallInstant
    var isGuarded: Bool
    var endsAt: MonotonicInstant
    var result: AttemptResult
  }

  /// An event of the machine.
  enum Occurrence: Hashable {
    case boots
    case goesOn
    case reloads
    case fires(TimerID)
    case ends(RunID)
    case hearsKept(RunID)
    case hears(ExplorerMessage)
    case guarded
    /// - Parameter isChanged: true if there is another version of the file by now.
    case isKilled(until: MonotonicInstant, losesLedger: Bool, isChanged: Bool)
    case standsStill(until: MonotonicInstant)
    case willReload(at: MonotonicInstant)
    case isGiven(Command)
    case runsFail
    case leaves
    /// Runs that have just started take this long.
    case lasts([RunID], until: MonotonicInstant)
  }

  enum Command: Hashable { case suspend, resume, trigger }

  /// An action that others notice, or that is counted.
  enum Deed {
    case asks(ExplorerMessage)
    case began(RunHead)
    case started(RunID, Execution, mayMeet: Bool)
    case succeeded(JobName)
    case decided(JobName, Int)
    case changedFile
    case isDown
    /// A violation, with the machine's name between.
    case violates(String, String)
    /// A line of the story, with the machine's name between.
    case tells(String, String)
  }

  private(set) var core = SchedulerCore()
  private(set) var ledger = LedgerModel()
  private(set) var timers: [TimerID: (deadline: MonotonicInstant, token: UInt64)] = [:]
  private(set) var running: [RunID: Execution] = [:]
  /// Runs that the ledger has written, to be reported to the core.
  private(set) var kept: [RunID] = []
  /// Runs that the guard has ended while it stood still.
  private(set) var endedMeanwhile: [RunID] = []
  private(set) var isUp = false
  private(set) var isStopping = false
  private(set) var startsAt: MonotonicInstant?
  private(set) var frozenUntil: MonotonicInstant?
  private(set) var reloadsAt: MonotonicInstant?
  /// The time at which the guard ends its runs.
  private(set) var guardAt: MonotonicInstant?
  /// Its latest batch.
  private(set) var sent: (number: UInt64, at: MonotonicInstant)?
  private(set) var life = 0
  private(set) var version = 0
  /// The time at which it got that version.
  private(set) var versionFrom = MonotonicInstant(nanoseconds: 0)
  private(set) var bootedVersion = 0
  /// The verdict of each slot in its ledger, and the time of the ledger's start.
  private(set) var verdicts: [ExplorerSlot: Verdict] = [:]
  private(set) var ledgerSince = MonotonicInstant(nanoseconds: 0)
  /// The latest failed attempt of each run, by its ledger: the next one is no second start.
  private(set) var failedAttempts: [RunID: Int] = [:]

  /// True if it tells a story.
  private let isTold: Bool
  /// The deeds of the current occurrence.
  private var deeds: [Deed] = []

  init(startsAt: MonotonicInstant, isTold: Bool) {
    self.startsAt = startsAt
    self.isTold = isTold
  }

  // MARK: What happens

  mutating func meet(
    _ occurrence: Occurrence, at now: MonotonicInstant, in scene: ExplorerScene
  ) -> [Deed] {
    switch occurrence {
    case .boots: boot(at: now, in: scene)
    case .goesOn:
      frozenUntil = nil
      log("", " goes on")
    case .reloads: reload(at: now, in: scene)
    case .fires(let timer):
      if let arming = timers.removeValue(forKey: timer) {
        handle(.timerFired(timer, token: arming.token), at: now, in: scene)
      }
    case .ends(let run):
      guard let execution = running.removeValue(forKey: run) else { break }
      log("", " ends \(ExplorerSlot(execution)): \(execution.result)")
      handle(.actionEnded(run, AttemptReport(execution.result)), at: now, in: scene)
    case .hearsKept(let run):
      kept.removeAll { $0 == run }
      handle(.kept(run), at: now, in: scene)
    case .hears(let message):
      guard case .outcome(let outcome) = message.content else { break }
      if case .failed = outcome { log("", " hears nothing") }
      handle(.claims(outcome), at: now, in: scene)
    case .guarded: endUnrenewed(at: now)
    case .isKilled(let instant, let losesLedger, let isChanged):
      kill(until: instant, losesLedger: losesLedger, isChanged, at: now, in: scene)
    case .standsStill(let instant): standStill(until: instant)
    case .willReload(let instant): reloadsAt = instant
    case .isGiven(let command): execute(command, at: now, in: scene)
    case .runsFail:
      for run in running.keys {
        running[run]?.endsAt = now
        running[run]?.result = .exited(1)
      }
    case .leaves:
      log("", " gets SIGTERM")
      isStopping = true
      handle(.stop, at: now, in: scene)
    case .lasts(let runs, let instant): for run in runs { running[run]?.endsAt = instant }
    }
    defer { deeds = [] }
    return deeds
  }

  private mutating func boot(at now: MonotonicInstant, in scene: ExplorerScene) {
    startsAt = nil
    isUp = true
    life += 1
    noteVersion(at: now)
    core = SchedulerCore(isQuiet: !isTold)
    if !scene.isAlone {
      // One name for all: names do not tell them apart.
      core.join(MemberFacts(machine: "m", lease: scene.lease, grace: scene.grace))
    }
    log("", " starts")
    let previous = ledger.previous
    for run in previous.runs {
      if let retry = run.retry, retry.attempt > 0 { failedAttempts[run.head.run] = retry.attempt }
    }
    handle(.started(scene.snapshot(version), after: previous), at: now, in: scene)
  }

  private mutating func noteVersion(at now: MonotonicInstant) {
    guard bootedVersion != version else { return }
    bootedVersion = version
    versionFrom = now
  }

  private mutating func reload(at now: MonotonicInstant, in scene: ExplorerScene) {
    reloadsAt = nil
    let old = version
    version = scene.versions.count - 1
    if isUp { noteVersion(at: now) }
    deeds.append(.changedFile)
    log("", " reloads")
    guard isUp, !isStopping else { return }
    handle(
      .reloaded(ReloadPlan(from: scene.snapshot(old), to: scene.snapshot(version))), at: now,
      in: scene)
  }

  private mutating func kill(
    until instant: MonotonicInstant, losesLedger: Bool, _ isChanged: Bool,
    at now: MonotonicInstant, in scene: ExplorerScene
  ) {
    if losesLedger {
      ledger = LedgerModel()
      verdicts = [:]
      ledgerSince = now
      log("", " loses its ledger")
    }
    log("", " is killed")
    if isChanged, !isStopping { version = scene.versions.count - 1 }
    goDown()
    startsAt = instant
  }

  private mutating func goDown() {
    isUp = false
    timers = [:]
    running = [:]
    kept = []
    guardAt = nil
    reloadsAt = nil
    endedMeanwhile = []
    failedAttempts = [:]
    sent = nil
    core = SchedulerCore()
    deeds.append(.isDown)
  }

  /// Events that are due meanwhile are due when it continues.
  private mutating func standStill(until instant: MonotonicInstant) {
    log("", " stands still")
    frozenUntil = instant
    for timer in timers.keys { timers[timer]?.deadline.raise(to: instant) }
    for run in running.keys { running[run]?.endsAt.raise(to: instant) }
    reloadsAt?.raise(to: instant)
  }

  /// Ends the runs under a lease that was not renewed. takt is notified.
  private mutating func endUnrenewed(at now: MonotonicInstant) {
    guardAt = nil
    for (run, execution) in running where execution.isGuarded {
      log("the guard of ", " ends \(ExplorerSlot(execution))")
      running[run]?.endsAt = max(now, frozenUntil ?? now)
      running[run]?.result = .signalled(9)
      endedMeanwhile.append(run)
    }
  }

  private mutating func execute(
    _ command: Command, at now: MonotonicInstant, in scene: ExplorerScene
  ) {
    let (clock, job) = (scene.clock(at: now), scene.versions[0][0].name)
    let wanted: SchedulerCommand =
      switch command {
      case .suspend: .suspend(job, until: clock.wall + .seconds(2), reason: "explored")
      case .resume: .resume(job)
      case .trigger: .trigger(job)
      }
    let (_, effects) = core.perform(wanted, at: clock)
    for effect in effects { perform(effect, at: now, in: scene) }
  }

  private mutating func handle(
    _ event: SchedulerEvent, at now: MonotonicInstant, in scene: ExplorerScene
  ) {
    let clock = scene.clock(at: now)
    var effects: [SchedulerEffect] = []
    core.handle(event, at: clock, into: &effects)
    var turn: [SchedulerEffect] = []
    core.endTurn(at: clock, into: &turn)
    for effect in effects + turn { perform(effect, at: now, in: scene) }
  }

  // MARK: What follows from it

  private mutating func perform(
    _ effect: SchedulerEffect, at now: MonotonicInstant, in scene: ExplorerScene
  ) {
    switch effect {
    case .record(let entry): record(entry)
    case .awaitLedger(let run): kept.append(run)
    case .start(let request): start(request, at: now, in: scene)
    case .signal(let run, let signal):
      running[run]?.endsAt = now
      running[run]?.result = .signalled(signal == .kill ? 9 : 15)
    case .arm(let timer, let deadline, _, _, let token):
      timers[timer] = (max(deadline, now), token)
    case .holdTimer(let job, _): timers[.job(job)] = nil
    case .disarm(let timer): timers[timer] = nil
    case .claims(let batch):
      sent = (batch.number, now)
      deeds.append(.asks(ExplorerMessage(.batch(batch))))
    case .leased(let batch, let duration):
      if let sent, sent.number == batch { guardAt = sent.at + duration }
    case .log(let record):
      // News of another machine has its own line there.
      if case .text(let text)? = record[.message], !text.hasPrefix("machine '") {
        log("", ": \(text)")
      }
    case .served: break
    case .finish:
      log("", " has ended")
      goDown()
    }
  }

  private mutating func record(_ entry: LedgerEntry) {
    ledger.record([entry])
    noteStart(entry)
    if case .ended(let run) = entry, run.head.kind != .hook {
      log("", " writes of run \(run.head.run) of \(run.head.job): \(run.end.words)")
      if run.end.outcome == .succeeded { deeds.append(.succeeded(run.head.job)) }
    }
    guard case .verdict(let record) = entry else { return }
    let slots = record.slots
    deeds.append(.decided(record.job, slots.count))
    for slot in slots.count == 1 ? [slots.first] : [slots.first, slots.last] {
      let slot = ExplorerSlot(record.job, slot)
      log("", " writes of \(slot): \(record.verdict)")
      if let known = verdicts.updateValue(record.verdict, forKey: slot) {
        deeds.append(.violates("", " has two verdicts of \(slot): \(known), \(record.verdict)"))
      }
    }
  }

  /// Any start of a slot's command is a start of the slot, whatever number its attempt has, unless
  /// it follows a failed attempt: of the same run, or of the run that it replaces.
  private mutating func noteStart(_ entry: LedgerEntry) {
    switch entry {
    case .began(let beginning):
      let head = beginning.head
      let failed = head.parent.flatMap { failedAttempts.removeValue(forKey: $0) } ?? 0
      if failed == 0 || failed != beginning.attempt - 1 { deeds.append(.began(head)) }
    case .attemptBegan(let run, let attempt, _):
      guard failedAttempts.removeValue(forKey: run) != attempt - 1 else { return }
      let known = ledger.previous.runs.first { $0.head.run == run }
      if let head = known?.head { deeds.append(.began(head)) }
    case .backedOff(let run, let retry, _): failedAttempts[run] = retry.attempt
    case .ended(let record):
      if record.retry == nil { failedAttempts[record.head.run] = nil }
    case .settled(let run): failedAttempts[run] = nil
    default: break
    }
  }

  private mutating func start(
    _ request: AttemptRequest, at now: MonotonicInstant, in scene: ExplorerScene
  ) {
    let spec = request.spec
    let execution = Execution(
      job: spec.name, slot: request.slot,
      isGuarded: request.fence != nil && spec.onLeaseLost == .stop,
      endsAt: now + scene.lengths[0], result: .exited(0))
    let fence = request.fence.map { "\($0.number)" } ?? "none"
    log("", " starts \(ExplorerSlot(execution)), fence \(fence)")
    let mayMeet = spec.overlap.mayMeet && spec.concurrencyGroup == nil
    for (run, other) in running
    where !mayMeet && scene.excludes(other.job, spec.name) && !endedMeanwhile.contains(run) {
      deeds.append(
        .violates(
          "\(ExplorerSlot(execution)) has started on ", " while \(ExplorerSlot(other)) runs there"))
    }
    running[request.run] = execution
    deeds.append(.started(request.run, execution, mayMeet: mayMeet))
  }

  private mutating func log(_ before: String, _ after: @autoclosure () -> String) {
    if isTold { deeds.append(.tells(before, after())) }
  }
}

extension MonotonicInstant {
  fileprivate mutating func raise(to instant: Self) { self = max(self, instant) }
}
