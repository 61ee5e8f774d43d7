import DequeModule
import HeapModule
import TaktTime

/// What goes to the cluster's engine, and when.
extension SchedulerCore {
  /// What the events of a turn want of the engine goes to it at once.
  mutating func endClusterTurn(at now: Now) {
    send(at: now)
    finishIfIdle(at: now)
    armCluster(at: now)
  }

  mutating func clusterFired(token: UInt64, at now: Now) {
    guard token == cluster.timerToken else { return }
    cluster.armedFor = nil
    while let turn = cluster.turns.min, turn.at <= now.monotonic {
      _ = cluster.turns.removeMin()
      claimFired(turn.key, at: now)
    }
  }

  private mutating func send(at now: Now) {
    guard cluster.inFlight == nil, !cluster.hasLeft, phase != .finished else { return }
    let leaves = phase != .running && runs.isEmpty
    let joins = cluster.member == nil
    if joins, phase != .running {
      // Nothing is to be waited for, whether the engine answers or not.
      cluster.hasLeft = true
      return finishIfIdle(at: now)
    }
    guard cluster.retryAt.map({ $0 <= now.monotonic }) ?? true else { return }
    let renews = joins || cluster.renewAt <= now.monotonic
    guard renews || leaves || !cluster.outbox.isEmpty else { return }
    var wishes: [ClusterState.Wish] = []
    var requests: [ClaimRequest] = []
    // A machine that joins hears first how things stand.
    while !joins, requests.count < ClusterState.batchMax,
      let wish = cluster.outbox.popFirst()
    {
      guard let request = request(for: wish) else { continue }
      wishes.append(wish)
      requests.append(request)
    }
    let isLast = leaves && cluster.outbox.isEmpty == true
    guard renews || isLast || !requests.isEmpty else { return }
    let number = cluster.lastBatch + 1
    cluster.lastBatch = number
    cluster.inFlight = ClusterState.InFlight(
      number: number, wishes: wishes, sentAt: now.monotonic, renews: renews, leaves: isLast,
      member: cluster.member)
    effects.append(
      .claims(
        ClaimBatch(
          number: number, member: cluster.member, facts: renews ? cluster.facts : nil,
          leaves: isLast, requests: requests)))
  }

  /// What a wish comes to by now; nil when it has lost its sense.
  private mutating func request(for wish: ClusterState.Wish) -> ClaimRequest? {
    switch wish {
    case .declare(let id):
      guard jobs.isPresent(id), let job = cluster.jobs[id] else { return nil }
      return .declare(
        jobs.name(of: id), schedule: job.schedule, isChanged: job.isChanged,
        isNew: job.isNew, zones: zones(of: id),
        rest: job.rests ? jobs[id].spec.timing.schedule.every?.interval : nil)
    case .claim(let key):
      guard let claim = cluster.claims[key], !claim.isWithdrawn,
        let job = cluster.jobs[key.job], jobs.isPresent(key.job)
      else {
        _ = cluster.removeClaim(key)
        return nil
      }
      return .claim(slotClaim(claim, key, job))
    case .ask(let id, let slots, let schedule):
      guard jobs.isPresent(id) else { return nil }
      return .ask(jobs.name(of: id), slots, schedule: schedule)
    case .decide(let id, let slot, let verdict):
      return jobs.isPresent(id) ? .decide(jobs.name(of: id), SlotSeries(slot), verdict) : nil
    case .lastEnd(let id): return jobs.isPresent(id) ? .lastEnd(jobs.name(of: id)) : nil
    case .ranUnclaimed(let job, let slot, let earlier):
      return .ranUnclaimed(job, slot, earlier: earlier)
    case .end(let token, let ending):
      return .end(token, ending.outcome, reason: ending.reason)
    case .restore(let claim): return .restore(claim)
    case .giveBack(let token): return .giveBack(token)
    case .retire(let former): return .retire(former)
    case .suspend(let id):
      return jobs.isPresent(id) ? .suspend(jobs.name(of: id), jobs[id].suspension) : nil
    }
  }

  /// Nil for a job whose slots no zone names.
  private mutating func zones(of id: JobID) -> ScheduleZones? {
    let schedule = jobs[id].spec.timing.schedule
    let zones = schedule.rules.map(\.zone) + schedule.exclusions.map(\.zone)
    guard !zones.isEmpty else { return nil }
    var digest: UInt64 = 0
    for zone in zones {
      let one = cluster.zoneDigests[zone.name] ?? zone.digest
      cluster.zoneDigests[zone.name] = one
      digest = (digest &* 31) ^ one
    }
    return ScheduleZones(digest: digest, version: cluster.facts.zoneData ?? "")
  }

  private mutating func slotClaim(
    _ claim: ClusterState.Claim, _ key: ClusterState.Key, _ job: ClusterState.Job
  ) -> SlotClaim {
    slotClaim(of: jobs[key.job].spec, key.slot, job.schedule, earlier: claim.askedAs)
  }

  func slotClaim(
    of spec: JobSpec, _ slot: WallInstant, _ schedule: UInt64, earlier: MemberID? = nil
  ) -> SlotClaim {
    let group = spec.concurrencyGroup
    return SlotClaim(
      job: spec.name, slot: slot, schedule: schedule, overlap: spec.overlap,
      group: group, groupMax: group.flatMap { settings.concurrency[$0] },
      limit: spec.timing.schedule.limit, isAtLeastOnce: spec.delivery == .atLeastOnce,
      validUntil: spec.validUntil(slot), earlier: earlier)
  }

  private mutating func armCluster(at now: Now) {
    guard phase != .finished else { return }
    var next = MonotonicInstant.distantFuture
    if cluster.inFlight == nil, !cluster.hasLeft {
      next = min(next, cluster.retryAt ?? (cluster.member == nil ? now.monotonic : cluster.renewAt))
    }
    if let until = cluster.leaseUntil { next = min(next, until) }
    if let turn = cluster.turns.min { next = min(next, turn.at) }
    guard next != cluster.armedFor, next < .distantFuture else { return }
    let token = nextToken()
    cluster.armedFor = next
    cluster.timerToken = token
    effects.append(
      .arm(.placement, deadline: next, due: now.wall(at: next), leeway: .zero, token: token))
  }

  func logFields(of id: JobID?, slot: WallInstant?) -> [LogField] {
    (id.map { [LogField(.job, .text(jobs.name(of: $0).text))] } ?? [])
      + (slot.map { [LogField(.slot, .instant($0))] } ?? [])
  }

  mutating func logCluster(
    _ level: LogLevel, _ message: String, of id: JobID? = nil, slot: WallInstant? = nil, at now: Now
  ) {
    log(
      level, .scheduler, at: now,
      logFields(of: id, slot: slot) + [LogField(.message, .text(message))])
  }
}
