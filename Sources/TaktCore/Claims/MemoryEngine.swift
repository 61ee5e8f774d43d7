package import TaktTime

/// The engine's rules, in memory: what every driver does, and what the simulation and the tests
/// compare them with.
///
/// One clock counts, the engine's: it is handed in with each batch and never goes back.
package struct MemoryEngine: Sendable {
  /// A mistake that a test makes on purpose, to see whether it is noticed.
  package enum Plant: String, CaseIterable, Sendable {
    /// Nobody looks at the lease of who asks.
    case lease
    /// A slot is given to whoever asks.
    case owner
    /// A slot counts as lost as soon as the lease of its machine is over.
    case grace
    /// What a lost machine had is never looked at.
    case forgotten
  }

  package var plant: Plant?

  /// How slots that follow one another were decided.
  package struct SeriesVerdict: Hashable, Sendable {
    package var slots: SlotSeries
    package var verdict: Verdict

    package init(slots: SlotSeries, verdict: Verdict) {
      self.slots = slots
      self.verdict = verdict
    }
  }

  // What there is, for drivers that keep it elsewhere and have the rules here.

  package var members: [MemberID: Member] = [:]
  package var jobs: [JobName: Job] = [:]
  private var slotsByToken: [ClaimToken: (job: JobName, slot: WallInstant)] = [:]
  package var lastMember: UInt64 = 0
  package var lastToken: UInt64 = 0
  /// Of how many jobs one batch settles slots at most; the rest is for the next one.
  package var settledJobsMax = Int.max
  /// How many runs without a claim met a slot that was another's.
  package private(set) var doubledCount = 0
  /// How many slots went to a machine whose lease was over: none, ever.
  package private(set) var staleCount = 0
  private var isStale = false

  /// How long before a job is first heard of its slots may lie.
  package static let reach = Duration.seconds(60)
  /// How far a slot may lie ahead of the engine's clock.
  package static let tolerance = Duration.milliseconds(1)

  package init() {}

  /// Does a batch.
  package mutating func perform(_ batch: ClaimBatch, at now: WallInstant) -> ClaimReply {
    var reply = ClaimReply(number: batch.number, member: nil, wall: now)
    if batch.facts != nil {
      noticeSilence(at: now)
      settleLost(at: now)
    }
    let member: MemberID
    if let known = batch.member {
      guard let found = members[known] else { return reply }
      // While nobody has decided for a member, it may renew its lease.
      let isOver = found.leaseUntil <= now && (batch.facts == nil || isLost(known, at: now))
      guard !isOver || plant == .lease else { return reply }
      // A batch that comes after a newer one: its sender has given it up.
      guard found.lastBatch <= batch.number else { return reply }
      members[known]?.lastBatch = batch.number
      member = known
      isStale = isOver
    } else {
      isStale = false
      guard batch.facts != nil else { return reply }
      lastMember += 1
      member = MemberID(lastMember)
    }
    if let facts = batch.facts {
      members[member] = Member(
        facts: facts, leaseUntil: now + facts.lease, lastBatch: batch.number,
        holds: members[member]?.holds ?? [])
    }
    reply.member = member
    for request in batch.requests {
      reply.answers.append(perform(request, of: member, at: now))
    }
    if batch.leaves { leave(member) }
    if batch.facts != nil { reply.news = news(for: member, at: now) }
    return reply
  }

  private mutating func perform(
    _ request: ClaimRequest, of member: MemberID, at now: WallInstant
  ) -> ClaimAnswer {
    switch request {
    case .declare(let job, let schedule, let isChanged, let rest):
      declare(job, schedule, isChanged: isChanged, rest: rest, by: member, at: now)
    case .claim(let claim): self.claim(claim, by: member, at: now)
    case .ask(let job, let slots, let schedule):
      .known(slots.filter { isKnown($0, of: job) || isOfPrevious($0, of: job, by: schedule) })
    case .decide(let job, let slots, let verdict): decide(job, slots, verdict, at: now)
    case .ranUnclaimed(let job, let slot): ranUnclaimed(job, slot, by: member, at: now)
    case .end(let token, let outcome, let reason):
      end(token, outcome, reason: reason, at: now)
    case .lastEnd(let job): lastEnd(of: job)
    case .giveBack(let token): giveBack(token)
    case .suspend(let job, let suspension): suspend(job, suspension, at: now)
    }
  }

  // MARK: Schedules

  private mutating func declare(
    _ name: JobName, _ schedule: UInt64, isChanged: Bool, rest: Duration?, by member: MemberID,
    at now: WallInstant
  ) -> ClaimAnswer {
    guard let job = jobs[name] else {
      var job = Job(schedule: schedule, since: now - Self.reach)
      job.rest = rest
      jobs[name] = job
      members[member]?.holds.insert(name)
      return .done
    }
    members[member]?.holds.remove(name)
    if job.schedule != schedule {
      let isInForce = members.values.contains { $0.holds.contains(name) && $0.leaseUntil > now }
      guard isChanged || !isInForce else { return .drifted }
      jobs[name]?.schedule = schedule
      jobs[name]?.changedAt = now
      if job.rest == nil || rest == nil { jobs[name]?.lastEnd = nil }
      jobs[name]?.rest = rest
      for id in members.keys { members[id]?.holds.remove(name) }
    }
    members[member]?.holds.insert(name)
    return .done
  }

  private mutating func suspend(
    _ name: JobName, _ suspension: Suspension?, at now: WallInstant
  ) -> ClaimAnswer {
    jobs[name]?.suspension = suspension
    guard suspension != nil, let job = jobs[name] else { return .done }
    for (instant, slot) in job.slots where slot.isWaiting {
      jobs[name]?.slots[instant]?.state = .decided(.skipped(.suspended), nil, reason: "")
      noteEnd(of: name, at: now)
    }
    return .done
  }

  // MARK: Claims

  private mutating func claim(
    _ claim: SlotClaim, by member: MemberID, at now: WallInstant
  ) -> ClaimAnswer {
    guard var job = jobs[claim.job] else { return .drifted }
    let slot = job.slots[claim.slot]
    // A grant whose answer was lost, whatever has become of the schedule since: without it nobody
    // would end the claim of a machine that is alive.
    if plant != .owner, let slot, slot.state == .claimed(member), let token = slot.token {
      return .granted(token, attempt: slot.attempt)
    }
    guard job.schedule == claim.schedule else { return .drifted }
    if let slot {
      switch slot.state {
      case .claimed(let owner):
        guard owner == claim.earlier || plant == .owner else { return .taken }
      case .decided(.skipped(let reason), _, _):
        guard let refused = slot.decidedFor, refused == member || refused == claim.earlier else {
          return .taken
        }
        return .skipped(reason)
      case .decided: return .taken
      case .open:
        if now > slot.validUntil { return .taken }
      }
    } else if isKnown(claim.slot, of: claim.job) {
      return .taken
    } else if let rest = job.rest,
      isBusy(job) || job.lastEnd.map({ claim.slot < $0 + rest }) ?? false
    {
      return .ended(job.lastEnd)
    }
    let ahead = claim.slot - now
    if ahead > Self.tolerance { return .early(ahead) }
    if let slot, slot.isAtLeastOnce, isPassed(claim, job) {
      // It may have run on the machine that was lost; a newer one has taken its place.
      jobs[claim.job]?.slots[claim.slot]?.state = .decided(.ran, .interrupted, reason: "lost")
      noteEnd(of: claim.job, at: now)
      return .taken
    }
    if let reason = refusal(of: claim, job, at: now) {
      job.slots[claim.slot] = Slot(
        state: .decided(.skipped(reason), nil, reason: ""), decidedFor: member,
        validUntil: claim.validUntil)
      jobs[claim.job] = job
      noteEnd(of: claim.job, at: now)
      return .skipped(reason)
    }
    if mustWait(claim, &job) {
      if claim.overlap != .replace { keepWaiting(claim, &job, of: member, at: now) }
      jobs[claim.job] = job
      return .busy
    }
    lastToken += 1
    if isStale { staleCount += 1 }
    let token = ClaimToken(lastToken)
    if let old = slot?.token { slotsByToken[old] = nil }
    job.slots[claim.slot] = Slot(
      state: .claimed(member), attempt: (slot?.attempt ?? 0) + 1, token: token,
      isAtLeastOnce: claim.isAtLeastOnce, overlap: claim.overlap, group: claim.group,
      validUntil: claim.validUntil)
    if slot?.isWaiting ?? true { job.ranCount += 1 }
    slotsByToken[token] = (claim.job, claim.slot)
    jobs[claim.job] = job
    return .granted(token, attempt: (slot?.attempt ?? 0) + 1)
  }

  private func refusal(of claim: SlotClaim, _ job: Job, at now: WallInstant) -> SkipReason? {
    if let suspension = job.suspension, suspension.until.map({ $0 > now }) ?? true {
      return .suspended
    }
    if isPassed(claim, job) { return .overlap }
    guard job.slots[claim.slot]?.isWaiting ?? true else { return nil }
    if let limit = claim.limit, job.ranCount >= limit { return .limit }
    if claim.overlap == .skip, isRunning(job, but: claim.slot) { return .overlap }
    return nil
  }

  /// An older slot never takes the place of a newer one's run.
  private func isPassed(_ claim: SlotClaim, _ job: Job) -> Bool {
    claim.overlap == .replace && job.slots.contains { $0 > claim.slot && $1.isClaimed }
  }

  /// Whether others run that the claim must wait for. Those that it replaces are told to stop.
  private mutating func mustWait(_ claim: SlotClaim, _ job: inout Job) -> Bool {
    if let group = claim.group, let max = claim.groupMax {
      var count = 0
      for (name, job) in jobs {
        // An earlier membership's claim of this slot is what the new one takes the place of.
        for (instant, slot) in job.slots where slot.group == group && slot.isClaimed {
          if name != claim.job || instant != claim.slot { count += 1 }
        }
      }
      if count >= max { return true }
    }
    guard claim.overlap != .allow, isRunning(job, but: claim.slot) else { return false }
    if claim.overlap == .replace {
      for (instant, slot) in job.slots where slot.isClaimed && instant != claim.slot {
        job.slots[instant]?.isReplaced = true
      }
    }
    return true
  }

  /// The slot waits in turn: while somebody asks for it, and hears that others run, nobody misses it,
  /// nor those of its job behind it. Then it is open for any machine for as long as `missed` says.
  private func keepWaiting(
    _ claim: SlotClaim, _ job: inout Job, of member: MemberID, at now: WallInstant
  ) {
    if job.slots[claim.slot] == nil {
      job.slots[claim.slot] = Slot(
        state: .open, attempt: 0, overlap: claim.overlap, group: claim.group,
        validUntil: claim.validUntil)
    }
    let lease = members[member]?.facts.lease ?? .zero
    let patience = max(claim.validUntil - claim.slot, lease * 2)
    for (instant, slot) in job.slots
    where slot.state == .open && slot.validUntil >= now && (slot.validUntil - now) * 2 < patience {
      job.slots[instant]?.validUntil = now + patience
    }
  }

  private func isRunning(_ job: Job, but instant: WallInstant) -> Bool {
    job.slots.contains { $0 != instant && $1.isClaimed }
  }

  private func isKnown(_ instant: WallInstant, of name: JobName) -> Bool {
    guard let job = jobs[name] else { return false }
    return job.slots[instant] != nil || instant < job.since || isInSeries(instant, job)
      || job.past.contains(instant)
  }

  private func isOfPrevious(
    _ instant: WallInstant, of name: JobName, by schedule: UInt64
  ) -> Bool {
    guard let job = jobs[name], job.schedule != schedule else { return false }
    return job.changedAt.map { instant > $0 } ?? false
  }

  private func isInSeries(_ instant: WallInstant, _ job: Job) -> Bool {
    job.series.contains { $0.slots.first <= instant && instant <= $0.slots.last }
  }

  private mutating func decide(
    _ name: JobName, _ slots: SlotSeries, _ verdict: Verdict, at now: WallInstant
  ) -> ClaimAnswer {
    guard let job = jobs[name] else { return .done }
    if slots.count > 1 {
      let series = SeriesVerdict(slots: slots, verdict: verdict)
      if !job.series.contains(series) { jobs[name]?.series.append(series) }
      return .done
    }
    if isKnown(slots.first, of: name) {
      return job.slots[slots.first]?.state == .decided(verdict, nil, reason: "") ? .done : .taken
    }
    // A machine whose clock is fast takes it for missed.
    let ahead = slots.first - now
    if ahead > Self.tolerance { return .early(ahead) }
    jobs[name]?.slots[slots.first] = Slot(
      state: .decided(verdict, nil, reason: ""), validUntil: slots.first)
    noteEnd(of: name, at: now)
    return .done
  }

  private mutating func ranUnclaimed(
    _ name: JobName, _ slot: WallInstant, by member: MemberID, at now: WallInstant
  ) -> ClaimAnswer {
    guard let job = jobs[name] else { return .done }
    if let known = job.slots[slot], known.decidedFor == member,
      known.state == .decided(.ran, nil, reason: "unclaimed")
    {
      return .done
    }
    if let known = job.slots[slot], known.state == .claimed(member) || known.isWaiting {
      // It was given the slot, and the answer was lost; or nobody was given it yet.
      jobs[name]?.slots[slot]?.state = .decided(.ran, nil, reason: "unclaimed")
      jobs[name]?.slots[slot]?.decidedFor = member
      noteEnd(of: name, at: now)
      return .done
    }
    if isKnown(slot, of: name) {
      doubledCount += 1
      return .superseded
    }
    jobs[name]?.slots[slot] = Slot(
      state: .decided(.ran, nil, reason: "unclaimed"), decidedFor: member, validUntil: slot)
    noteEnd(of: name, at: now)
    return .done
  }

  // MARK: Ends

  private func lastEnd(of name: JobName) -> ClaimAnswer {
    guard let job = jobs[name] else { return .ended(nil) }
    return isBusy(job) ? .busy : .ended(job.lastEnd)
  }

  private func isBusy(_ job: Job) -> Bool {
    job.slots.values.contains { slot in if case .decided = slot.state { false } else { true } }
  }

  /// A slot has been decided: the next one is counted from here.
  mutating func noteEnd(of name: JobName, at now: WallInstant) {
    guard jobs[name]?.rest != nil else { return }
    jobs[name]?.lastEnd = WallInstant(milliseconds: now.milliseconds)
  }

  private mutating func end(
    _ token: ClaimToken, _ outcome: Outcome, reason: String, at now: WallInstant
  ) -> ClaimAnswer {
    guard let place = slotsByToken[token], let slot = jobs[place.job]?.slots[place.slot] else {
      return .superseded
    }
    switch slot.state {
    case .claimed:
      jobs[place.job]?.slots[place.slot]?.state = .decided(.ran, outcome, reason: reason)
      noteEnd(of: place.job, at: now)
      return .done
    case .decided(.ran, outcome, reason): return .done
    case .decided, .open: return .superseded
    }
  }

  private mutating func giveBack(_ token: ClaimToken) -> ClaimAnswer {
    guard let place = slotsByToken[token],
      let slot = jobs[place.job]?.slots[place.slot]
    else { return .superseded }
    switch slot.state {
    case .claimed: jobs[place.job]?.slots[place.slot]?.state = .open
    case .open: break
    case .decided: return .superseded
    }
    return .done
  }

  private mutating func leave(_ member: MemberID) {
    members[member] = nil
  }
}

// MARK: - What is kept elsewhere

extension MemoryEngine {
  /// Takes a job as it is kept elsewhere.
  package mutating func load(_ job: Job, named name: JobName) {
    for slot in (jobs[name]?.slots ?? [:]).values {
      if let token = slot.token { slotsByToken[token] = nil }
    }
    for (instant, slot) in job.slots {
      if let token = slot.token { slotsByToken[token] = (name, instant) }
    }
    jobs[name] = job
  }

  /// The job of a claim; nil for a claim that nobody knows.
  package func job(of token: ClaimToken) -> JobName? { slotsByToken[token]?.job }
}
