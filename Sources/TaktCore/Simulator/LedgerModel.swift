package import TaktTime

/// The promises of the ledger in the plainest way, for simulations and tests: all of it is in
/// memory and is searched from end to end. Any difference from the ledger on disk is a mistake in
/// one of the two.
package struct LedgerModel {
  private struct Job {
    var checkpoint: JobCheckpoint?
    var isSameBoot = true
    var versions: [AuditedVersion] = []
    var pending: Set<WallInstant> = []
    var verdicts: [VerdictRecord] = []
  }

  private var jobs: [JobName: Job] = [:]
  private var runs: [RunID: PreviousRun] = [:]
  private var lastRun: UInt64 = 0
  private var unreported: [UnclaimedRun] = []
  private let keepsVerdicts: Bool

  /// - Parameter keepsVerdicts: true for an audit. The start of a daemon does not need the
  ///   verdicts.
  package init(keepsVerdicts: Bool = true) { self.keepsVerdicts = keepsVerdicts }

  package mutating func record(_ entries: [LedgerEntry]) {
    for entry in entries { record(entry) }
  }

  mutating func record(_ entry: LedgerEntry) {
    switch entry {
    case .verdict(let record):
      if keepsVerdicts { jobs[record.job, default: Job()].verdicts.append(record) }
      if record.slots.count == 1 { jobs[record.job]?.pending.remove(record.slots.first) }
    case .pending(let name, let slot): jobs[name, default: Job()].pending.insert(slot)
    case .checkpoint(var checkpoint):
      if let suspension = checkpoint.suspension {
        checkpoint.suspension = Suspension(
          since: Self.kept(suspension.since), until: suspension.until.map(Self.kept),
          reason: suspension.reason)
      }
      // The reader is another daemon.
      checkpoint.alarms?.loseOpenCalls()
      jobs[checkpoint.job, default: Job()].checkpoint = checkpoint
      jobs[checkpoint.job]?.isSameBoot = true
    case .schedule(var version):
      version.from.at = Self.kept(version.from.at)
      end(version.job, at: version.from)
      jobs[version.job, default: Job()].versions.append(AuditedVersion(begin: version, end: nil))
    case .scheduleEnded(let name, let edge): end(name, at: edge)
    case .claimed(let beginning):
      let firstStart = earlierStart(of: beginning.head)
      let head = registerRun(beginning.head)
      if runs[head.run] == nil {
        runs[head.run] = PreviousRun(
          head, isUndecided: head.kind == .slot, attempts: 0, firstStart: firstStart)
      }
      runs[head.run]?.retry = nil
    case .began(let beginning):
      let earlier = beginning.attempt > 1 ? earlierStart(of: beginning.head) : nil
      let head = registerRun(beginning.head)
      runs[head.run] = PreviousRun(
        head, attempts: beginning.attempt, firstStart: earlier ?? Self.kept(beginning.at))
    case .attemptBegan(let run, let attempt, _):
      runs[run]?.attempts = attempt
      runs[run]?.retry = nil
    case .backedOff(let run, let retry, _): runs[run]?.retry = Self.kept(retry)
    case .attemptOutput, .attemptUse: break
    case .ended(let record):
      let run = record.head.run
      lastRun = max(lastRun, run.number)
      runs[run]?.isEnded = true
      runs[run]?.retry = record.retry.map(Self.kept)
      if record.retry == nil { runs[run] = nil }
    case .settled(let run): settle(run)
    case .rare(.ranUnclaimed(let run)):
      removeUnreported(run.job, run.slot)
      unreported.append(UnclaimedRun(run.job, Self.kept(run.slot), askedAs: run.member))
    case .rare(.reported(let job, let slot)): removeUnreported(job, slot)
    case .process, .rare: break
    }
  }

  private mutating func removeUnreported(_ job: JobName, _ slot: WallInstant) {
    unreported.removeAll { $0.job == job && $0.slot == Self.kept(slot) }
  }

  /// A run that starts. One that continues another run settles it.
  private mutating func registerRun(_ head: RunHead) -> RunHead {
    lastRun = max(lastRun, head.run.number)
    if head.kind == .resumed, let parent = head.parent { settle(parent) }
    return head
  }

  /// The first start of the runs that a run continues; nil for any other run.
  private func earlierStart(of head: RunHead) -> WallInstant? {
    guard head.kind == .resumed else { return nil }
    return runs[head.run]?.firstStart ?? head.parent.flatMap { runs[$0]?.firstStart }
  }

  private mutating func settle(_ run: RunID) {
    runs[run]?.retry = nil
    if runs[run]?.isEnded == true { runs[run] = nil }
  }

  private mutating func end(_ name: JobName, at edge: ScheduleEdge) {
    guard let last = jobs[name]?.versions.indices.last, jobs[name]?.versions[last].end == nil else {
      return
    }
    jobs[name]?.versions[last].end = edge
  }

  /// The ledger keeps whole milliseconds.
  private static func kept(_ instant: WallInstant) -> WallInstant {
    WallInstant(milliseconds: instant.milliseconds)
  }

  private static func kept(_ retry: RetryPosition) -> RetryPosition {
    RetryPosition(attempt: retry.attempt, until: kept(retry.until), end: retry.end)
  }

  package mutating func reboot() {
    for name in jobs.keys { jobs[name]?.isSameBoot = false }
  }

  /// The state that a daemon finds at its start.
  package var previous: PreviousState {
    var previous = PreviousState(lastRun: lastRun)
    for (name, job) in jobs {
      guard let checkpoint = job.checkpoint, let version = job.versions.last else { continue }
      previous.jobs[name] = PreviousJob(
        checkpoint: checkpoint, isSameBoot: job.isSameBoot, version: version.begin,
        isOpen: version.end == nil, pending: job.pending.sorted())
    }
    previous.runs = runs.values.sorted { $0.head.run < $1.head.run }
    previous.unreported = unreported.sorted()
    return previous
  }

  package var pending: [JobName: Set<WallInstant>] { jobs.mapValues(\.pending) }

  package func audit() -> [AuditFinding] {
    jobs.sorted { $0.key < $1.key }.flatMap { name, job -> [AuditFinding] in
      guard let cursor = job.checkpoint?.cursor else { return [] }
      var audit = JobAudit(
        job: name, versions: job.versions,
        mark: ScheduleEdge(
          clock: cursor.clockMark, wall: cursor.wallMark, at: WallInstant(milliseconds: 0)),
        pending: Array(job.pending))
      for record in job.verdicts.sorted(by: { $0.slots.first < $1.slots.first }) {
        audit.add(record)
      }
      audit.finish()
      return audit.findings
    }
  }
}
