import DequeModule
import HeapModule
package import TaktTime

/// Shared slots: each is claimed in the cluster's engine before it runs.
extension SchedulerCore {
  /// This machine is one of a cluster. To be said before `started`.
  package mutating func join(_ facts: MemberFacts) { cluster.join(facts) }

  /// How long before others decide for this machine nothing of it may run any more.
  private static let guardMargin = Duration.milliseconds(500)
  /// How much longer than the longest grace of a job others wait.
  private static let graceMargin = Duration.seconds(2)

  /// What others must know of this machine's jobs.
  mutating func setGrace() {
    guard cluster.isOn else { return }
    var longest = Duration.zero
    for id in jobs.present where isShared(id) {
      longest = max(longest, jobs[id].spec.execution.stop.grace)
    }
    cluster.facts.grace = longest + Self.graceMargin
  }

  /// Whether a job's slots are shared with other machines, or are theirs alone.
  func isShared(_ spec: JobSpec) -> Bool {
    guard cluster.isOn else { return false }
    return spec.machines != .each
  }

  mutating func isShared(_ id: JobID) -> Bool {
    guard cluster.isOn else { return false }
    return isShared(jobs[id].spec)
  }

  /// Whether one slot of a shared job is: what happens on a machine is that machine's alone.
  mutating func isShared(_ slot: Slot, of id: JobID) -> Bool {
    guard isShared(id) else { return false }
    return slot.causes.isEmpty || slot.causes.isTimedOrFollowing
  }

  /// Whether this machine may run a shared job.
  private func isHere(_ spec: JobSpec) -> Bool {
    spec.machines.includes(cluster.facts.labels)
  }

  // MARK: Jobs

  /// Tells the engine of a job, now or when there is one.
  mutating func declare(_ id: JobID, isChanged: Bool) {
    guard cluster.isOn, jobs.isPresent(id), isShared(id), isHere(jobs[id].spec) else {
      return withdrawJob(id)
    }
    let schedule = jobs[id].spec.sharedHash
    var job = cluster.jobs[id] ?? ClusterState.Job(schedule: schedule, isChanged: isChanged)
    if job.schedule != schedule || isChanged {
      job.schedule = schedule
      job.isChanged = job.isChanged || isChanged
    }
    job.standing = .undeclared
    cluster.jobs[id] = job
    if cluster.member != nil { cluster.outbox.append(.declare(id)) }
  }

  private mutating func withdrawJob(_ id: JobID) { cluster.jobs[id] = nil }

  /// A reload has removed the job from this machine.
  mutating func removeShared(_ id: JobID, at now: Now) {
    guard let job = cluster.jobs[id] else { return }
    withdrawClaims(of: id, as: .cancelled(.removed), at: now)
    for slot in job.unsettled {
      decide(id, SlotSeries(slot), .cancelled(.removed), at: now)
    }
    withdrawJob(id)
  }

  /// What waits for the engine's word will not run on this machine.
  mutating func withdrawClaims(of id: JobID, as verdict: Verdict, at now: Now) {
    for key in cluster.keys(of: id) {
      guard let claim = cluster.claims[key], !claim.isWithdrawn else { continue }
      withdraw(key)
      if !claim.isOpen { decide(id, SlotSeries(key.slot), verdict, at: now) }
    }
  }

  /// takt stops: what waits for the engine's word is left to other machines, or to a takt to come.
  mutating func withdrawAllClaims(at now: Now) {
    for key in cluster.claims.keys.sorted() { withdraw(key) }
  }

  /// Gives up a claim; one that the engine is being asked for waits for the answer. What it was
  /// asked for before, without an answer, is given back when the news has it.
  private mutating func withdraw(_ key: ClusterState.Key) {
    let wish = ClusterState.Wish.claim(key)
    cluster.outbox.removeAll { $0 == wish }
    if cluster.inFlight?.wishes.contains(wish) == true {
      cluster.claims[key]?.isWithdrawn = true
    } else {
      _ = cluster.removeClaim(key)
    }
  }

  /// Tells the engine whether a job is suspended.
  mutating func reportSuspension(of id: JobID) {
    guard cluster.jobs[id] != nil else { return }
    cluster.outbox.append(.suspend(id))
  }

  /// Somebody has set the clock, or the machine has slept: the lease went on meanwhile.
  mutating func clusterStepped(slept: Duration, at now: Now) {
    guard cluster.isOn else { return }
    if slept > .zero, let until = cluster.leaseUntil { cluster.leaseUntil = until - slept }
    // What was early by another clock may not be.
    for (key, claim) in cluster.claims {
      if case .waits(let at) = claim.phase, at > now.monotonic {
        cluster.putOff(key, until: now.monotonic)
      }
    }
  }

  /// A reload that somebody asks for says that this file is right.
  mutating func insist() {
    for (id, job) in cluster.jobs where job.standing == .drifted {
      declare(id, isChanged: true)
    }
  }

  // MARK: Slots

  /// What a wake has found of a shared job: what is in time is claimed, the rest is settled when the
  /// engine has said what became of it.
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

  /// A shared slot is to run: here, or on another machine.
  mutating func propose(_ slot: Slot, of id: JobID, at now: Now) {
    guard isHere(jobs[id].spec) else {
      return decideElsewhere(slot.nominal, of: id, at: now)
    }
    let key = ClusterState.Key(job: id, slot: slot.nominal)
    guard let job = cluster.jobs[id], cluster.claims[key] == nil else {
      return unsettle([SlotSeries(slot.nominal)], of: id, at: now)
    }
    let mayClaim = cluster.isUp && job.standing == .inForce
    let runsAnyway = jobs[id].spec.onPartition == .run && !cluster.isUp
    guard job.claimCount == 0 || jobs[id].spec.overlap == .allow, mayClaim || runsAnyway else {
      return unsettle([SlotSeries(slot.nominal)], of: id, at: now)
    }
    effects.append(.record(.pending(jobs.name(of: id), slot.nominal)))
    markDirty(id)
    let rank = cluster.rank(for: jobs.name(of: id), slot.nominal, jobs[id].spec.machines)
    let phase: ClusterState.Claim.Phase =
      !mayClaim
      ? .waits(max(now.monotonic, slot.latestStart))
      : rank == 0 ? .queued : .waits(now.monotonic + ClusterState.rankPace * min(rank, 10))
    cluster.addClaim(ClusterState.Claim(slot: slot, phase: phase), key)
  }

  /// The time has come to look at a claim again.
  private mutating func claimFired(_ key: ClusterState.Key, at now: Now) {
    guard let claim = cluster.claims[key], !claim.isWithdrawn else { return }
    guard case .waits(let instant) = claim.phase, instant <= now.monotonic else { return }
    guard jobs.isPresent(key.job) else {
      _ = cluster.removeClaim(key)
      return
    }
    if cluster.isUp, cluster.jobs[key.job]?.standing == .inForce {
      if runs.places.takenCount >= settings.maxRunning {
        cluster.putOff(key, until: now.monotonic + ClusterState.rankPace)
        return
      }
      cluster.claims[key]?.phase = .queued
      cluster.outbox.append(.claim(key))
      return
    }
    guard jobs[key.job].spec.onPartition == .run, !cluster.isUp, !claim.isOpen else {
      _ = cluster.removeClaim(key)
      if !claim.isOpen { unsettle([SlotSeries(key.slot)], of: key.job, at: now) }
      return
    }
    runUnclaimed(key, at: now)
  }

  /// Nobody could be asked, and the job is to run all the same.
  private mutating func runUnclaimed(_ key: ClusterState.Key, at now: Now) {
    guard let claim = cluster.removeClaim(key) else { return }
    cluster.outbox.removeAll { $0 == .claim(key) }
    cluster.jobs[key.job]?.lastServed = key.slot
    cluster.outbox.append(.ranUnclaimed(jobs.name(of: key.job), key.slot))
    logCluster(
      .warning, "runs without a claim: the engine cannot be reached", of: key.job,
      slot: key.slot, at: now)
    start(claim.slot, of: key.job, nil, isOpen: false, at: now)
  }

  /// A slot is this machine's, or nobody's: a run serves it.
  private mutating func start(
    _ slot: Slot, of id: JobID, _ grant: ClaimGrant?, isOpen: Bool, at now: Now
  ) {
    if jobs[id].spec.overlap == .replace { replaceRuns(of: id, by: slot, at: now) }
    queueRun(
      isOpen ? .resumed(slot.nominal, nil) : .slot(slot), of: id, jobs[id].spec, claim: grant,
      at: now)
  }

  mutating func decideElsewhere(_ slot: WallInstant, of id: JobID, at now: Now) {
    if let served = cluster.jobs[id]?.lastServed, served < slot {
      cluster.jobs[id]?.lastServed = slot
    }
    decide(id, SlotSeries(slot), .skipped(.elsewhere), at: now)
  }

  /// That nobody is to run a shared slot is decided by the engine: then, and not before, it is this
  /// machine's verdict too. Returns whether it is to be asked.
  mutating func asksFirst(
    _ id: JobID, _ slots: SlotSeries, _ verdict: Verdict, at now: Now
  ) -> Bool {
    guard cluster.isAnswering == false, cluster.jobs[id] != nil, isShared(id) else {
      return false
    }
    switch verdict {
    case .missed, .coalesced, .skipped(.overlap): break
    case .ran, .skipped, .cancelled: return false
    }
    // While nobody answers they are kept where there is a bound.
    if slots.count > 1 || cluster.isUp == false {
      unsettle([slots], of: id, at: now)
    } else {
      effects.append(.record(.pending(jobs.name(of: id), slots.first)))
      markDirty(id)
      cluster.outbox.append(.decide(id, slots.first, verdict))
    }
    return true
  }

  private mutating func verdictAnswered(
    _ id: JobID, _ slot: WallInstant, _ verdict: Verdict, isOurs: Bool, at now: Now
  ) {
    guard jobs.isPresent(id) else { return }
    cluster.isAnswering = true
    decide(id, SlotSeries(slot), isOurs ? verdict : .skipped(.elsewhere), at: now)
    cluster.isAnswering = false
  }

  /// By the engine's clock the slot is still to come, so that nobody has missed it: it is claimed
  /// then, as any other.
  private mutating func verdictCameEarly(
    _ id: JobID, _ slot: WallInstant, _ wait: Duration, at now: Now
  ) {
    let key = ClusterState.Key(job: id, slot: slot)
    guard phase == .running, jobs.isPresent(id), cluster.jobs[id] != nil,
      cluster.claims[key] == nil
    else { return }
    let due = now.monotonic + wait + .milliseconds(1)
    let slot = Slot(nominal: slot, causes: [], deadline: due)
    cluster.addClaim(ClusterState.Claim(slot: slot, phase: .waits(due)), key)
  }

  // MARK: Settling

  /// Slots whose time came while nobody could claim them: what became of them is asked first.
  ///
  /// - Parameter schedule: what names them; nil for the job's present one.
  mutating func unsettle(
    _ passed: [SlotSeries], of id: JobID, by schedule: Schedule? = nil, at now: Now
  ) {
    guard !passed.isEmpty else { return }
    guard isHere(jobs[id].spec) else {
      for series in passed { decide(id, series, .skipped(.elsewhere), at: now) }
      return
    }
    if cluster.jobs[id] == nil { declare(id, isChanged: false) }
    var slots: [WallInstant] = []
    for series in passed.sorted(by: { $0.last > $1.last }) {
      let set = jobs[id].cursor.instantSet(of: series, schedule ?? jobs[id].spec.timing.schedule)
      let room = max(0, ClusterState.unsettledMax - slots.count)
      let (rest, newest) = room == 0 ? (series, []) : set.splitNewest(room, of: series)
      slots += newest.map { WallInstant($0) }
      // Too many to be asked for one by one, and too old to run.
      if let rest { decideUnasked(id, rest, .missed(.down), at: now) }
    }
    for slot in slots { effects.append(.record(.pending(jobs.name(of: id), slot))) }
    var all = Set(cluster.jobs[id]?.unsettled ?? []).union(slots).sorted()
    while all.count > ClusterState.unsettledMax {
      decideUnasked(id, SlotSeries(all.removeFirst()), .missed(.stalled), at: now)
    }
    cluster.jobs[id]?.unsettled = all
    markDirty(id)
    ask(of: id)
  }

  private mutating func decideUnasked(
    _ id: JobID, _ slots: SlotSeries, _ verdict: Verdict, at now: Now
  ) {
    cluster.isAnswering = true
    decide(id, slots, verdict, at: now)
    cluster.isAnswering = false
  }

  /// Asks which of a job's slots are decided, unless that must wait.
  private mutating func ask(of id: JobID) {
    guard let job = cluster.jobs[id], !job.unsettled.isEmpty, !job.isAsking,
      job.standing == .inForce, cluster.isUp, job.claimCount == 0, phase == .running
    else { return }
    cluster.jobs[id]?.isAsking = true
    cluster.outbox.append(.ask(id, Array(job.unsettled.suffix(ClusterState.batchMax))))
  }

  private mutating func settle(
    _ asked: [WallInstant], known: [WallInstant], of id: JobID, at now: Now
  ) {
    guard jobs.isPresent(id), cluster.jobs[id] != nil else { return }
    cluster.jobs[id]?.isAsking = false
    guard phase == .running else { return }
    let waiting = Set(cluster.jobs[id]?.unsettled ?? [])
    let slots = asked.filter(waiting.contains)
    let settled = Set(slots)
    cluster.jobs[id]?.unsettled.removeAll { settled.contains($0) }
    let isKnown = Set(known)
    for slot in slots where isKnown.contains(slot) { decideElsewhere(slot, of: id, at: now) }
    let rest = slots.filter { !isKnown.contains($0) }.map { SlotSeries($0) }
    if let reason = jobs[id].holdReason {
      for series in rest { decide(id, series, .skipped(reason), at: now) }
    } else if let last = rest.last?.last {
      let served = cluster.jobs[id]?.lastServed ?? last
      if jobs[id].spec.missed.choice == .last, served > last {
        for series in rest { decide(id, series, .coalesced(into: served), at: now) }
      } else {
        settle(rest, of: id, by: jobs[id].spec.timing.schedule, nil, at: now)
        giveTurns(to: [id], at: now)
      }
    }
    ask(of: id)
  }

  // MARK: What the engine says

  mutating func claimsAnswered(_ outcome: ClaimOutcome, at now: Now) {
    guard let flight = cluster.inFlight else { return }
    switch outcome {
    case .failed(let number, let failure):
      guard number == flight.number else { return }
      cluster.inFlight = nil
      engineFailed(failure, flight, at: now)
    case .answered(let reply):
      guard reply.number == flight.number else { return }
      cluster.inFlight = nil
      engineAnswered(reply, flight, at: now)
    }
    finishIfIdle(at: now)
  }

  private mutating func engineFailed(
    _ failure: ClaimFailure, _ flight: ClusterState.InFlight, at now: Now
  ) {
    if flight.leaves {
      cluster.hasLeft = true
      return
    }
    cluster.outbox.prepend(contentsOf: flight.wishes)
    for case .claim(let key) in flight.wishes { cluster.claims[key]?.askedAs = flight.member }
    // A stop waits for an engine that answers.
    if phase != .running, runs.isEmpty { cluster.hasLeft = true }
    let count = cluster.failureCount + 1
    cluster.failureCount = count
    cluster.retryAt = now.monotonic + min(.seconds(2), .milliseconds(250) * count)
    if cluster.failure?.description != failure.description {
      logCluster(.warning, "the cluster's engine does not answer: \(failure)", at: now)
    }
    cluster.failure = failure
    giveWaitingClaimsTime(at: now)
  }

  /// Claims that the engine does not answer: those whose jobs run anyway wait for their windows only.
  private mutating func giveWaitingClaimsTime(at now: Now) {
    for (key, claim) in cluster.claims
    where claim.phase == .queued && !claim.isWithdrawn && !claim.isOpen
      && jobs.isPresent(key.job) && jobs[key.job].spec.onPartition == .run
    {
      cluster.outbox.removeAll { $0 == .claim(key) }
      cluster.putOff(key, until: max(now.monotonic, claim.slot.latestStart))
    }
  }

  private mutating func engineAnswered(
    _ reply: ClaimReply, _ flight: ClusterState.InFlight, at now: Now
  ) {
    if cluster.failure != nil {
      logCluster(.notice, "the cluster's engine answers again", at: now)
    }
    cluster.engineIsUp()
    guard let member = reply.member else {
      if flight.leaves { cluster.hasLeft = true }
      return membershipEnded(flight, at: now)
    }
    let isNew = cluster.member != member
    cluster.member = member
    if flight.renews { renewed(flight, reply, at: now) }
    if isNew { joined(at: now) }
    for (wish, answer) in zip(flight.wishes, reply.answers) { answered(wish, answer, at: now) }
    if let news = reply.news { apply(news, at: now) }
    if flight.leaves { cluster.hasLeft = true }
  }

  private mutating func renewed(
    _ flight: ClusterState.InFlight, _ reply: ClaimReply, at now: Now
  ) {
    let duration = cluster.facts.lease - cluster.margin
    cluster.leaseUntil = flight.sentAt + duration
    cluster.renewAt = flight.sentAt + cluster.facts.lease / 3
    effects.append(
      .leased(
        batch: flight.number, for: cluster.facts.lease + cluster.facts.grace - Self.guardMargin))
    let offset = now.wall - reply.wall - (now.monotonic - flight.sentAt) / 2
    cluster.facts.clockOffset = offset
    let isFar = offset >= MemberFacts.clockOffsetMax || offset <= .zero - MemberFacts.clockOffsetMax
    if isFar, !cluster.hasWarnedOfClock {
      logCluster(
        .warning,
        "this machine's clock is \(DurationText.format(offset < .zero ? .zero - offset : offset)) "
          + (offset < .zero ? "behind" : "ahead of") + " the engine's; set it by NTP", at: now)
    }
    cluster.hasWarnedOfClock = isFar
  }

  /// The engine has taken this machine for lost: it begins anew.
  private mutating func membershipEnded(_ flight: ClusterState.InFlight, at now: Now) {
    guard let member = cluster.member else { return }
    logCluster(.warning, "the cluster has taken this machine for lost; it joins again", at: now)
    cluster.member = nil
    for (key, claim) in cluster.claims where claim.phase == .queued {
      cluster.claims[key]?.askedAs = claim.askedAs ?? member
    }
    cluster.outbox.prepend(contentsOf: flight.wishes)
    leaseOver(at: now)
  }

  private mutating func joined(at now: Now) {
    logCluster(
      .notice,
      "joined the cluster as '\(cluster.facts.machine)', member \(cluster.member?.number ?? 0)",
      at: now)
    cluster.outbox.removeAll { if case .declare = $0 { true } else { false } }
    var declares: [ClusterState.Wish] = []
    for id in jobs.sorted where cluster.jobs[id] != nil {
      cluster.jobs[id]?.standing = .undeclared
      declares.append(.declare(id))
      // What holds is what the engine says, not what this machine remembers.
      if jobs[id].isSuspended { cluster.suspended.insert(id) }
    }
    cluster.outbox.prepend(contentsOf: declares)
  }

  private mutating func answered(_ wish: ClusterState.Wish, _ answer: ClaimAnswer, at now: Now) {
    switch (wish, answer) {
    case (.declare(let id), _): declared(id, answer, at: now)
    case (.claim(let key), _): claimAnswered(key, answer, at: now)
    case (.ask(let id, let asked), .known(let known)):
      settle(asked, known: known, of: id, at: now)
    case (.end(let token, _, _), _): endAnswered(token, isOurs: answer == .done, at: now)
    case (.suspend(let id), _):
      if jobs.isPresent(id), jobs[id].isSuspended { cluster.suspended.insert(id) }
    case (.decide(let id, let slot, _), .early(let wait)):
      verdictCameEarly(id, slot, wait, at: now)
    case (.decide(let id, let slot, let verdict), _):
      verdictAnswered(id, slot, verdict, isOurs: answer == .done, at: now)
    case (.ranUnclaimed(let job, let slot), .superseded):
      logCluster(
        .warning, "ran twice: another machine had the slot too", of: jobs.id(of: job), slot: slot,
        at: now)
    case (.ask, _), (.ranUnclaimed, _), (.giveBack, _): break
    }
  }

  private mutating func declared(_ id: JobID, _ answer: ClaimAnswer, at now: Now) {
    guard let job = cluster.jobs[id], jobs.isPresent(id) else { return }
    if answer == .done {
      if job.standing == .drifted {
        logCluster(.notice, "this machine's schedule is in force again", of: id, at: now)
      }
      cluster.jobs[id]?.standing = .inForce
      cluster.jobs[id]?.isChanged = false
      ask(of: id)
    } else {
      drifted(id, at: now)
    }
  }

  private mutating func drifted(_ id: JobID, at now: Now) {
    if cluster.jobs[id]?.standing != .drifted {
      logCluster(
        .warning,
        "another machine has a newer schedule of this job; update this machine's file and reload",
        of: id, at: now)
    }
    cluster.jobs[id]?.standing = .drifted
  }

  private mutating func claimAnswered(
    _ key: ClusterState.Key, _ answer: ClaimAnswer, at now: Now
  ) {
    guard let claim = cluster.claims[key], claim.phase == .queued else {
      // It was given up meanwhile.
      if case .granted(let token, _) = answer { cluster.outbox.append(.giveBack(token)) }
      return
    }
    switch answer {
    case .early(let wait) where !claim.isWithdrawn:
      cluster.putOff(key, until: now.monotonic + wait + .milliseconds(1))
      return
    case .busy where !claim.isWithdrawn:
      cluster.putOff(key, until: now.monotonic + ClusterState.busyPace)
      return
    default: break
    }
    _ = cluster.removeClaim(key)
    if case .granted(let token, let attempt) = answer {
      granted(
        claim, key, ClaimGrant(token: token, attempt: attempt, member: cluster.member), at: now)
    } else if !claim.isWithdrawn, jobs.isPresent(key.job) {
      refused(claim, key, answer, at: now)
    }
    ask(of: key.job)
  }

  private mutating func granted(
    _ claim: ClusterState.Claim, _ key: ClusterState.Key, _ grant: ClaimGrant, at now: Now
  ) {
    let mayStart =
      phase == .running && !claim.isWithdrawn && jobs.isPresent(key.job)
      && !jobs[key.job].isHeld && cluster.hasLease(at: now.monotonic)
    guard mayStart else {
      cluster.outbox.append(.giveBack(grant.token))
      // Another machine may have it now, or this one later: as an open slot.
      if !claim.isWithdrawn, !claim.isOpen, phase == .running, jobs.isPresent(key.job) {
        decideElsewhere(key.slot, of: key.job, at: now)
      }
      return
    }
    let spec = jobs[key.job].spec
    if now.wall > spec.validUntil(key.slot) {
      // The engine has been away for too long.
      cluster.outbox.append(.giveBack(grant.token))
      if !claim.isOpen { decideUnasked(key.job, SlotSeries(key.slot), .missed(.stalled), at: now) }
      return
    }
    if !claim.isOpen { cluster.jobs[key.job]?.lastServed = key.slot }
    start(claim.slot, of: key.job, grant, isOpen: claim.isOpen, at: now)
  }

  private mutating func refused(
    _ claim: ClusterState.Claim, _ key: ClusterState.Key, _ answer: ClaimAnswer, at now: Now
  ) {
    switch answer {
    case .drifted:
      drifted(key.job, at: now)
      if !claim.isOpen { unsettle([SlotSeries(key.slot)], of: key.job, at: now) }
    case .skipped(let reason) where !claim.isOpen:
      cluster.isAnswering = true
      decide(key.job, SlotSeries(key.slot), .skipped(reason), at: now, causes: claim.slot.causes)
      cluster.isAnswering = false
    case .taken where !claim.isOpen: decideElsewhere(key.slot, of: key.job, at: now)
    default: break
    }
  }

  /// How things stand in the cluster.
  private mutating func apply(_ news: ClusterNews, at now: Now) {
    cluster.news = news
    for (id, job) in cluster.jobs where job.standing == .drifted {
      cluster.outbox.append(.declare(id))
    }
    guard phase == .running else { return }
    applySuspensions(news, at: now)
    for open in news.open {
      guard let id = jobs.id(of: open.job), cluster.jobs[id]?.standing == .inForce,
        !jobs[id].isHeld
      else { continue }
      let key = ClusterState.Key(job: id, slot: open.slot)
      guard cluster.claims[key] == nil,
        !runs.active(of: id).all.contains(where: {
          runs[$0].nominal == open.slot
        })
      else { continue }
      let rank = cluster.rank(for: open.job, open.slot, jobs[id].spec.machines)
      let slot = Slot(nominal: open.slot, causes: [], deadline: now.monotonic)
      let at = now.monotonic + ClusterState.rankPace * min(rank, 10)
      cluster.addClaim(ClusterState.Claim(slot: slot, isOpen: true, phase: .waits(at)), key)
    }
    giveBackForgotten(news, at: now)
    for token in news.replaced {
      for run in runs.all where runs.contains(run) && runs[run].claim?.token == token {
        step(run, at: now) { $0.stop(.replaced, at: now.monotonic) }
      }
    }
  }

  /// Claims that this machine was given and knows nothing of: the answer was lost, and when it came
  /// to be repeated nobody wanted the slot any more. Nobody else would end them.
  private mutating func giveBackForgotten(_ news: ClusterNews, at now: Now) {
    guard !news.held.isEmpty else { return }
    var known: Set<ClaimToken> = []
    for id in runs.all where runs.contains(id) {
      if let token = runs[id].claim?.token { known.insert(token) }
    }
    for wish in cluster.outbox {
      switch wish {
      case .end(let token, _, _), .giveBack(let token): known.insert(token)
      case .declare, .claim, .ask, .decide, .ranUnclaimed, .suspend: break
      }
    }
    for held in news.held where !known.contains(held.token) {
      if let id = jobs.id(of: held.job),
        cluster.claims[ClusterState.Key(job: id, slot: held.slot)] != nil
      {
        continue
      }
      cluster.outbox.append(.giveBack(held.token))
    }
  }

  private mutating func applySuspensions(_ news: ClusterNews, at now: Now) {
    let pending = Set(
      cluster.outbox.compactMap { if case .suspend(let id) = $0 { id } else { nil } })
    var present: Set<JobID> = []
    for (name, suspension) in news.suspended {
      guard let id = jobs.id(of: name), isShared(id), !pending.contains(id) else { continue }
      if let until = suspension.until, until <= now.wall { continue }
      present.insert(id)
      if jobs[id].suspension.map({ $0.until != suspension.until || $0.reason != suspension.reason })
        ?? true
      {
        suspend(id, until: suspension.until, reason: suspension.reason, isNews: true, at: now)
      }
    }
    for id in cluster.suspended
    where !present.contains(id) && !pending.contains(id) && jobs.isPresent(id)
      && jobs[id].isSuspended
    {
      resume(id, isNews: true, at: now)
    }
    cluster.suspended = present
  }

  // MARK: The lease

  /// This machine must take its claims for another's from now on.
  private mutating func leaseOver(at now: Now) {
    guard cluster.leaseUntil != nil else { return }
    cluster.leaseUntil = nil
    var count = 0
    for id in runs.all where runs.contains(id) && runs[id].claim != nil {
      if let slot = runs[id].undecidedSlot {
        let job = runs[id].job
        step(id, at: now) { $0.stop(.leaseLost, at: now.monotonic) }
        if jobs.isPresent(job) { unsettle([SlotSeries(slot.nominal)], of: job, at: now) }
      } else if runs[id].spec.onLeaseLost == .stop {
        count += 1
        step(id, at: now) { $0.stop(.leaseLost, at: now.monotonic) }
      }
    }
    logCluster(
      .warning,
      "the lease could not be renewed in time" + (count > 0 ? "; runs stopped: \(count)" : ""),
      at: now)
  }

  // MARK: Ends

  /// What the engine is told of a claimed run that has ended. Returns whether what follows from it
  /// may follow at once.
  mutating func claimEnded(_ row: RunTable.Row, _ end: RunEnd, at now: Now) -> Bool {
    guard let grant = runs[row].claim else { return true }
    guard runs[row].startedAt != nil else {
      switch end.reason {
      case .byOperator, .replaced:
        cluster.outbox.append(
          .end(grant.token, end.outcome, reason: end.reason.description))
      default: cluster.outbox.append(.giveBack(grant.token))
      }
      return true
    }
    cluster.outbox.append(.end(grant.token, end.outcome, reason: end.reason.description))
    return grant.member == cluster.member && cluster.hasLease(at: now.monotonic)
  }

  private mutating func endAnswered(_ token: ClaimToken, isOurs: Bool, at now: Now) {
    guard let late = cluster.lateEnds.removeValue(forKey: token) else { return }
    if isOurs {
      countFailure(of: late.job, late.end, hooks: late.caller, at: now)
      callFollowers(of: late.job, late.end, at: now)
    } else {
      logCluster(
        .warning, "a run ended after another machine had taken its slot over", of: late.job,
        at: now)
    }
  }

  // MARK: Saying it

  /// The last of several events that belong together has been handled: what they want of the engine
  /// goes to it at once. To be called after each event, or after all of a wake.
  package mutating func endTurn(at now: Now, into list: inout [SchedulerEffect]) {
    guard cluster.isOn, phase != .starting else { return }
    swap(&effects, &list)
    send(at: now)
    finishIfIdle(at: now)
    armCluster(at: now)
    swap(&effects, &list)
  }

  mutating func clusterFired(token: UInt64, at now: Now) {
    guard token == cluster.timerToken else { return }
    cluster.armedFor = nil
    if let until = cluster.leaseUntil, until <= now.monotonic { leaseOver(at: now) }
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
      return .declare(jobs.name(of: id), schedule: job.schedule, isChanged: job.isChanged)
    case .claim(let key):
      guard let claim = cluster.claims[key], !claim.isWithdrawn,
        let job = cluster.jobs[key.job], jobs.isPresent(key.job)
      else {
        _ = cluster.removeClaim(key)
        return nil
      }
      return .claim(slotClaim(claim, key, job))
    case .ask(let id, let slots):
      guard jobs.isPresent(id) else { return nil }
      return .ask(jobs.name(of: id), slots)
    case .decide(let id, let slot, let verdict):
      return jobs.isPresent(id) ? .decide(jobs.name(of: id), SlotSeries(slot), verdict) : nil
    case .ranUnclaimed(let job, let slot): return .ranUnclaimed(job, slot)
    case .end(let token, let outcome, let reason): return .end(token, outcome, reason: reason)
    case .giveBack(let token): return .giveBack(token)
    case .suspend(let id):
      return jobs.isPresent(id) ? .suspend(jobs.name(of: id), jobs[id].suspension) : nil
    }
  }

  private mutating func slotClaim(
    _ claim: ClusterState.Claim, _ key: ClusterState.Key, _ job: ClusterState.Job
  ) -> SlotClaim {
    let spec = jobs[key.job].spec
    let group = spec.concurrencyGroup
    return SlotClaim(
      job: spec.name, slot: key.slot, schedule: job.schedule, overlap: spec.overlap,
      group: group, groupMax: group.flatMap { settings.concurrency[$0] },
      limit: spec.timing.schedule.limit, isAtLeastOnce: spec.delivery == .atLeastOnce,
      validUntil: spec.validUntil(key.slot),
      earlier: claim.askedAs)
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
      .arm(.cluster, deadline: next, due: now.wall(at: next), leeway: .zero, token: token))
  }

  /// Whether a stop need not wait for the engine.
  var isClusterDone: Bool { !cluster.isOn || cluster.hasLeft }

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

extension SlotCauses {
  /// Whether the clock or another job's end names the slot, and not something on this machine.
  var isTimedOrFollowing: Bool {
    sorted().contains { [.every, .cron, .calendar, .at, .after].contains($0) }
  }
}

extension JobSpec {
  /// Until when a slot that is late may start.
  fileprivate func validUntil(_ slot: WallInstant) -> WallInstant {
    slot + missed.within(timing.schedule, of: slot)
  }

  /// What machines must agree on to share the job's slots.
  var sharedHash: UInt64 {
    StableHash.of(
      JobKey.facts(of: self).filter { JobKey.shared.contains($0.key) }
        .map { "\($0.key)=\($0.text)" }.joined(separator: "\n"))
  }
}

extension JobKey {
  /// The names of the keys that name a job's slots, but for those of one machine, and of what says
  /// whose they are.
  fileprivate static let shared = Set(
    [
      JobKey.every, .align, .cron, .calendar, .at, .after, .notBefore, .until, .except, .machines,
    ].map(\.name))
}
