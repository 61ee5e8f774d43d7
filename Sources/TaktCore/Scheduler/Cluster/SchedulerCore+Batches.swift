import TaktTime

/// The batches for the cluster's engine.
extension SchedulerCore {
  /// Sends the requests of the events of a turn to the engine at once.
  mutating func endClusterTurn(at now: Now) {
    send(at: now)
    finishIfIdle(at: now)
    armCluster(at: now)
  }

  mutating func clusterFired(token: UInt64, at now: Now) {
    guard token == cluster.timerToken else { return }
    cluster.armedFor = nil
    while let key = cluster.book.pop(at: now.monotonic) { claimFired(key, at: now) }
  }

  var clusterStage: Membership.Stage {
    phase == .running ? .running : runs.isEmpty ? .idle : .stopping
  }

  private mutating func send(at now: Now) {
    let stage = clusterStage
    guard phase != .finished, cluster.membership.wantsToSend(stage, at: now.monotonic) else {
      return
    }
    var said: [(Membership.Wish, ClaimRequest)] = []
    while let wish = cluster.membership.pop(afterSaying: said.count) {
      if let request = request(for: wish) { said.append((noteSaid(wish), request)) }
    }
    if let batch = cluster.membership.send(said, stage, at: now.monotonic) {
      effects.append(.claims(batch))
    }
  }

  /// The present request for a wish; nil if it is no longer needed.
  private mutating func request(for wish: Membership.Wish) -> ClaimRequest? {
    switch wish {
    case .declare(let id):
      guard jobs.isPresent(id), let job = cluster.jobs[id] else { return nil }
      return .declare(
        jobs.name(of: id), schedule: job.schedule, isChanged: job.isChanged,
        isNew: job.isNew, zones: zones(of: id),
        rest: job.rests ? jobs[id].spec.timing.schedule.every?.interval : nil)
    case .claim(let key):
      guard let claim = cluster.book[key], !claim.isWithdrawn,
        let job = cluster.jobs[key.job], jobs.isPresent(key.job)
      else {
        cluster.book.remove(key)
        return nil
      }
      return .claim(
        slotClaim(of: jobs[key.job].spec, key.slot, job.schedule, earlier: claim.askedAs))
    case .ask(let id, let slots, let schedule):
      guard jobs.isPresent(id) else { return nil }
      return .ask(jobs.name(of: id), slots, schedule: schedule)
    case .decide(let id, let slot, let verdict):
      return jobs.isPresent(id) ? .decide(jobs.name(of: id), SlotSeries(slot), verdict) : nil
    case .lastEnd(let id): return jobs.isPresent(id) ? .lastEnd(jobs.name(of: id)) : nil
    case .ranUnclaimed(let run):
      return .ranUnclaimed(run.job, run.slot, earlier: run.earlier(as: cluster.membership.id))
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
    return ScheduleZones(digest: digest, version: cluster.membership.facts.zoneData ?? "")
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
    var next = cluster.membership.next(at: now.monotonic)
    if let turn = cluster.book.next { next = min(next, turn) }
    guard next != cluster.armedFor, next < .distantFuture else { return }
    let token = nextToken()
    cluster.armedFor = next
    cluster.timerToken = token
    effects.append(
      .arm(.placement, deadline: next, due: now.wall(at: next), leeway: .zero, token: token))
  }

  mutating func logCluster(
    _ level: LogLevel, _ message: String, of id: JobID? = nil, slot: WallInstant? = nil, at now: Now
  ) {
    var fields = [LogField(.message, .text(message))]
    if let slot { fields.insert(LogField(.slot, .instant(slot)), at: 0) }
    if let id { fields.insert(LogField(.job, .text(jobs.name(of: id).text)), at: 0) }
    log(level, .scheduler, at: now, fields)
  }

  mutating func logCluster(
    _ notice: ClusterNotice, of id: JobID? = nil, slot: WallInstant? = nil, at now: Now
  ) {
    logCluster(notice.level, notice.text, of: id, slot: slot, at: now)
  }
}
