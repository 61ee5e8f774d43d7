package import TaktTime

/// Machines that share jobs, as the scheduler's placement: each call goes to the file that
/// implements it.
enum ClusterPlacement: Placement {
  static func shares(_ id: JobID, in core: inout SchedulerCore) -> Bool { core.isShared(id) }

  static func takes(
    _ due: ScheduleCursor.Due, of id: JobID, in core: inout SchedulerCore, at now: Now
  ) -> Bool {
    guard core.isShared(id) else { return false }
    core.serveShared(due, of: id, at: now)
    return true
  }

  static func takes(
    _ slot: Slot, of id: JobID, in core: inout SchedulerCore, at now: Now
  ) -> Bool {
    guard core.isShared(slot, of: id) else { return false }
    core.propose(slot, of: id, at: now)
    return true
  }

  static func takes(
    passed: [SlotSeries], of id: JobID, by schedule: Schedule?, in core: inout SchedulerCore,
    at now: Now
  ) -> Bool {
    guard core.isShared(id) else { return false }
    core.unsettle(passed, of: id, by: schedule, at: now)
    return true
  }

  static func mayDecide(
    _ id: JobID, _ slots: SlotSeries, _ verdict: Verdict, isAnswered: Bool,
    in core: inout SchedulerCore, at now: Now
  ) -> Bool {
    if !isAnswered, core.asksFirst(id, slots, verdict, at: now) { return false }
    core.noteDecided(id, slots.last)
    if verdict == .skipped(.elsewhere) { core.noteElsewhere(id, at: now) }
    return true
  }

  static func takesDelay(of id: JobID, in core: inout SchedulerCore, at now: Now) -> Bool {
    core.startSharedDelay(of: id, at: now)
  }

  static func waitingSlots(of id: JobID, in core: SchedulerCore) -> [WallInstant] {
    core.cluster.waitingSlots(of: id)
  }

  static func amended(
    _ report: AttemptReport, of run: RunID, in core: inout SchedulerCore, at now: Now
  ) -> AttemptReport {
    core.actionEnding(of: run, report, at: now)
  }

  static func counts(
    _ end: RunEnd, of row: RunTable.Row, _ last: ActiveRun.Last, caller: HookCaller?,
    in core: inout SchedulerCore, at now: Now
  ) -> Bool {
    core.claimEnded(row, end, last, caller: caller, at: now)
  }

  static func note(_ event: PlacementEvent, in core: inout SchedulerCore, at now: Now) {
    switch event {
    case .starting(let previous):
      core.cluster.previousMembers = previous.previousMembers
      core.takeUpUnreported(previous)
    case .reloading: core.insist()
    case .jobsChanged: core.setGrace()
    case .restored(let id, let isChanged): core.declare(id, isChanged: isChanged)
    case .added(let id, let arrival): core.declareAdded(id, arrival)
    case .changed(let id, let old): core.declareChanged(id, from: old)
    case .removed(let id): core.removeShared(id, at: now)
    case .givenUp(let id): core.withdrawClaims(of: id, as: .skipped(.suspended), at: now)
    case .suspensionChanged(let id): core.reportSuspension(of: id)
    case .ran(let id, let slots): core.noteDecided(id, slots.last)
    case .runGone(let id): core.askForNext(of: id, at: now)
    case .eventComes: core.endLease(ifOver: now)
    case .clockStepped(let slept): core.clusterStepped(slept: slept, at: now)
    case .timerFired(let token): core.clusterFired(token: token, at: now)
    case .answered(let outcome): core.claimsAnswered(outcome, at: now)
    case .turnEnded: core.endClusterTurn(at: now)
    case .stopping: core.withdrawAllClaims()
    case .finished: core.effects.append(.disarm(.placement))
    }
  }

  static func isDrifted(_ id: JobID, in core: SchedulerCore) -> Bool {
    core.cluster.jobs[id]?.standing == .drifted
  }

  static func missingLabels(of id: JobID, in core: SchedulerCore) -> [String: String]? {
    core.isUnplaced(id) ? core.cluster.unplaced.labels[id] : nil
  }

  static func unplacedJobs(in core: SchedulerCore) -> [JobName] {
    core.cluster.unplaced.labels.keys.filter(core.isUnplaced).map { core.jobs.name(of: $0) }
  }

  static func isDone(_ core: SchedulerCore) -> Bool { core.cluster.membership.hasLeft }
}

/// The memory of a machine of a cluster, behind a reference, so that the scheduler need not know
/// its type.
///
/// Unchecked: `state` changes in `SchedulerCore.cluster` alone, and there only while nobody else
/// has the reference; a copy of a scheduler that changes gets a memory of its own.
private final class ClusterMemory: PlacementMemory, @unchecked Sendable {
  var state: ClusterState

  init(_ state: ClusterState) { self.state = state }
}

extension SchedulerCore {
  /// Makes this machine a member of a cluster. Call it before `started`.
  package mutating func join(_ facts: MemberFacts) {
    placement = ClusterPlacement.self
    placementMemory = ClusterMemory(ClusterState(facts))
  }

  /// Without a cluster it is empty, and what is written to it is lost.
  var cluster: ClusterState {
    // Not `_read`: of a large part that is taken out of a lent value, such as the membership, the
    // debug compiler keeps the address, which is that of a frame that is freed by then.
    get { (placementMemory as? ClusterMemory)?.state ?? .none }
    _modify {
      guard var memory = placementMemory as? ClusterMemory else {
        var none = ClusterState.none
        yield &none
        return
      }
      placementMemory = nil
      if !isKnownUniquelyReferenced(&memory) { memory = ClusterMemory(memory.state) }
      defer { placementMemory = memory }
      yield &memory.state
    }
  }

  package func clusterView(at now: Now) -> ClusterView? {
    guard placement != nil else { return nil }
    let waiting = cluster.jobs.compactMap { id, job -> ClusterView.Waiting? in
      let claims = cluster.book.count(of: id)
      guard job.standing == .drifted || !job.unsettled.isEmpty || claims > 0 else { return nil }
      return ClusterView.Waiting(
        job: jobs.name(of: id), isDrifted: job.standing == .drifted,
        unsettled: job.unsettled.count, claims: claims)
    }
    return ClusterView(
      settings: settings.cluster, facts: cluster.membership.facts, member: cluster.membership.id,
      lease: cluster.membership.leaseUntil.flatMap {
        $0 > now.monotonic ? $0 - now.monotonic : nil
      },
      failure: cluster.membership.failure, roundTrip: cluster.membership.roundTrip,
      members: cluster.news.members,
      waiting: waiting.sorted { $0.job < $1.job },
      unplaced: unplacedViews(cluster.unplaced.labels))
  }
}

extension SchedulerCore {
  /// The scheduler of a machine of a cluster, which waits for `started`.
  package init(cluster facts: MemberFacts, isQuiet: Bool = false) {
    self.init(isQuiet: isQuiet)
    join(facts)
  }
}
