import TaktTime

/// Shared slots: each is claimed in the cluster's engine before it runs.
extension SchedulerCore {
  /// A reload has removed the job from this machine.
  mutating func removeShared(_ id: JobID, at now: Now) {
    guard let job = cluster.jobs[id] else { return }
    withdrawClaims(of: id, as: .cancelled(.removed), at: now)
    for slot in job.unsettled {
      decide(id, SlotSeries(slot), .cancelled(.removed), at: now)
    }
    withdrawJob(id)
  }

  /// Gives up the slots of a job that wait for the engine's answer, with this verdict.
  mutating func withdrawClaims(of id: JobID, as verdict: Verdict, at now: Now) {
    for key in cluster.book.keys(of: id) {
      guard let claim = cluster.book[key], !claim.isWithdrawn else { continue }
      cluster.withdraw(key)
      if !claim.isOpen { decide(id, SlotSeries(key.slot), verdict, at: now) }
    }
  }

  /// takt stops: slots that wait for the engine's answer are left to other machines, or to the next
  /// daemon.
  mutating func withdrawAllClaims() {
    for key in cluster.book.keys { cluster.withdraw(key) }
  }

  /// The due slots of a shared job: those in time are claimed, the others are settled once the
  /// engine has reported their verdicts.
  mutating func serveShared(_ due: ScheduleCursor.Due, of id: JobID, at now: Now) {
    let isOver = due.newest.latestStart + jobs[id].spec.lateTolerance < now.monotonic
    unsettle(isOver ? due.all : due.passed, of: id, at: now)
    let behind = jobs[id].late.filter { $0.slot.deadline <= now.monotonic }
    if !behind.isEmpty, jobs[id].spec.missed.choice != .all {
      jobs[id].late.removeAll { $0.slot.deadline <= now.monotonic }
      unsettle(behind.map { SlotSeries($0.slot.nominal) }, of: id, at: now)
    }
    guard !isOver else { return }
    if due.newest.deadline > now.monotonic {
      putOff(due.newest, of: id, until: due.newest.deadline)
    } else {
      serve(due.newest, of: id, at: now)
    }
  }

  /// Requests a due slot of a shared job, or leaves it to other machines.
  mutating func propose(_ slot: Slot, of id: JobID, at now: Now) {
    guard isHere(jobs[id].spec) else {
      return decideElsewhere(slot.nominal, of: id, by: reasonElsewhere(of: id, at: now), at: now)
    }
    // By a slow clock its time comes when it has been open, and a run serves it already.
    let isServed = runs.active(of: id).all.contains {
      runs[$0].claim != nil && runs[$0].nominal == slot.nominal
    }
    if isServed { return decideElsewhere(slot.nominal, of: id, at: now) }
    let key = ClaimBook.Key(job: id, slot: slot.nominal)
    guard let job = cluster.jobs[id], cluster.book[key] == nil else {
      return unsettle([SlotSeries(slot.nominal)], of: id, at: now)
    }
    let mayClaim = cluster.membership.isUp && job.standing == .inForce
    let runsAnyway = jobs[id].spec.onPartition == .run && !cluster.membership.isUp
    let count = cluster.book.count(of: id)
    guard count == 0 || jobs[id].spec.overlap.hasSeveral, mayClaim || runsAnyway else {
      return unsettle([SlotSeries(slot.nominal)], of: id, at: now)
    }
    if jobs[id].spec.overlap.waits, count >= Self.waitingRunsPerJobMax {
      return decide(id, SlotSeries(slot.nominal), .skipped(.queueFull), at: now)
    }
    effects.append(.record(.pending(jobs.name(of: id), slot.nominal)))
    markDirty(id)
    let delay = cluster.delay(for: jobs.name(of: id), slot.nominal, jobs[id].spec.machines)
    let phase: ClaimBook.Claim.Phase =
      !mayClaim
      ? .waits(max(now.monotonic, slot.latestStart))
      : delay == .zero ? .queued : .waits(now.monotonic + delay)
    cluster.want(ClaimBook.Claim(slot: slot, phase: phase), key)
  }

  /// True if an older slot of the job asks first.
  mutating func isBehind(_ key: ClaimBook.Key) -> Bool {
    guard jobs[key.job].spec.overlap.waits else { return false }
    return cluster.book.oldest(of: key.job).map { $0.slot < key.slot } ?? false
  }

  /// Ends a slot's wait for the engine: the next one of its job may ask.
  private mutating func popClaim(_ key: ClaimBook.Key, at now: Now) -> ClaimBook.Claim? {
    let claim = cluster.book.remove(key)
    if jobs.isPresent(key.job) { askForNext(of: key.job, at: now) }
    return claim
  }

  mutating func claimFired(_ key: ClaimBook.Key, at now: Now) {
    guard let claim = cluster.book[key], !claim.isWithdrawn else { return }
    guard case .waits(let instant) = claim.phase, instant <= now.monotonic else { return }
    guard jobs.isPresent(key.job) else {
      cluster.book.remove(key)
      return
    }
    if cluster.membership.isUp, cluster.jobs[key.job]?.standing == .inForce {
      if runs.places.takenCount >= runs.places.max {
        cluster.book.putOff(key, until: now.monotonic + ClusterState.rankPace)
        return
      }
      cluster.claim(key)
      return
    }
    if claim.hasWaited, !claim.isOpen, !cluster.membership.isUp,
      jobs[key.job].spec.onPartition == .wait
    {
      // The engine has it among the slots that wait.
      return cluster.book.putOff(key, until: now.monotonic + ClusterState.busyPace)
    }
    guard jobs[key.job].spec.onPartition == .run, !cluster.membership.isUp, !claim.isOpen else {
      _ = popClaim(key, at: now)
      if !claim.isOpen { unsettle([SlotSeries(key.slot)], of: key.job, at: now) }
      return
    }
    runUnclaimed(key, at: now)
  }

  /// Queues the run of a slot that this machine was granted, or that runs without a claim.
  mutating func start(
    _ slot: Slot, of id: JobID, _ grant: ClaimGrant?, isOpen: Bool, at now: Now
  ) {
    replaceRuns(of: id, as: .coalesced(into: slot.nominal), at: now)
    queueRun(
      isOpen ? .resumed(slot.nominal, nil) : .slot(slot), of: id, jobs[id].spec, claim: grant,
      at: now)
  }

  mutating func decideElsewhere(
    _ slot: WallInstant, of id: JobID, by reason: SkipReason = .elsewhere, at now: Now
  ) {
    cluster.jobs[id]?.noteServed(slot)
    decide(id, SlotSeries(slot), .skipped(reason), at: now)
  }

  mutating func claimAnswered(
    _ key: ClaimBook.Key, _ answer: ClaimAnswer, at now: Now
  ) {
    guard let claim = cluster.book[key], claim.phase == .queued else {
      // It was given up meanwhile.
      if case .granted(let token, _) = answer { cluster.membership.say(.giveBack(token)) }
      return
    }
    switch answer {
    case .early(let wait) where !claim.isWithdrawn:
      cluster.book.putOff(key, until: now.monotonic + wait + .milliseconds(1))
      return
    case .busy where !claim.isWithdrawn && jobs.isPresent(key.job):
      let keepsWaiting = jobs[key.job].spec.overlap.keepsWaiting
      cluster.book.noteWaiting(key, keepsWaiting)
      if isBehind(key) {
        cluster.book.putBehind(key)
      } else {
        cluster.book.putOff(key, until: now.monotonic + ClusterState.busyPace)
      }
      return
    default: break
    }
    cluster.book.remove(key)
    if case .granted(let token, _) = answer, hasEnded(claim, key, token, at: now) { return }
    if case .granted(let token, let attempt) = answer {
      granted(
        claim, key, ClaimGrant(token: token, attempt: attempt, member: cluster.membership.id),
        at: now)
    } else if !claim.isWithdrawn, jobs.isPresent(key.job) {
      refused(claim, key, answer, at: now)
    }
    askForNext(of: key.job, at: now)
    ask(of: key.job)
    startDelayIfIdle(key.job, at: now)
  }

  private mutating func granted(
    _ claim: ClaimBook.Claim, _ key: ClaimBook.Key, _ grant: ClaimGrant, at now: Now
  ) {
    // The engine repeats what it has said before: a run serves the slot already.
    if jobs.isPresent(key.job),
      runs.active(of: key.job).all.contains(where: { runs[$0].claim?.token == grant.token })
    {
      if !claim.isOpen { decideElsewhere(key.slot, of: key.job, at: now) }
      return
    }
    let mayStart =
      phase == .running && !claim.isWithdrawn && jobs.isPresent(key.job)
      && !jobs[key.job].isHeld && cluster.membership.hasLease(at: now.monotonic)
    guard mayStart else {
      cluster.membership.say(.giveBack(grant.token))
      // Another machine may have it now, or this one later: as an open slot.
      if !claim.isWithdrawn, !claim.isOpen, phase == .running, jobs.isPresent(key.job) {
        decideElsewhere(key.slot, of: key.job, at: now)
      }
      return
    }
    let spec = jobs[key.job].spec
    // For slots that are open, or have waited, the engine has checked this time.
    if !claim.isOpen, !claim.hasWaited, now.wall > spec.validUntil(key.slot) {
      // The engine has been away for too long.
      cluster.membership.say(.giveBack(grant.token))
      return decide(key.job, SlotSeries(key.slot), .missed(.engine), at: now, isAnswered: true)
    }
    if !claim.isOpen { cluster.jobs[key.job]?.lastServed = key.slot }
    if grant.attempt > 1 {
      logCluster(
        .notice,
        "runs the slot again, attempt \(grant.attempt): the machine that had it was lost or gave it back",
        of: key.job, slot: key.slot, at: now)
    }
    start(claim.slot, of: key.job, grant, isOpen: claim.isOpen, at: now)
  }

  private mutating func refused(
    _ claim: ClaimBook.Claim, _ key: ClaimBook.Key, _ answer: ClaimAnswer, at now: Now
  ) {
    switch answer {
    case .drifted:
      drifted(key.job, at: now)
      if !claim.isOpen { unsettle([SlotSeries(key.slot)], of: key.job, at: now) }
    case .skipped(let reason) where !claim.isOpen:
      if let notice = cluster.news.exclusionNotice(by: reason, own: cluster.membership.id) {
        logCluster(notice, of: key.job, slot: key.slot, at: now)
      }
      decide(
        key.job, SlotSeries(key.slot), .skipped(reason), at: now, causes: claim.slot.causes,
        isAnswered: true)
    case .taken where !claim.isOpen, .ended where !claim.isOpen:
      decideElsewhere(key.slot, of: key.job, at: now)
    default: break
    }
  }
}
